/** Maps none of whose OSDs can be mapped to, such as those that `osdmaptool --createsimple` makes. */
import { WEIGHT_ONE } from '../crush/model.ts';
import { itemWeight } from '../crush/names.ts';
import { OSD_STATE, type OsdMap } from '../osdmap/model.ts';

/** Why nothing can be mapped, or undefined where an OSD is in: mapping would try every OSD many times, in vain. */
export function noOsdReason(map: OsdMap): string | undefined {
  let exists = false;
  for (let osd = 0; osd < map.maxOsd; osd++) {
    if (((map.osdState[osd] ?? 0) & OSD_STATE.exists) === 0) continue;
    if ((map.osdWeight[osd] ?? 0) > 0) return undefined;
    exists = true;
  }
  return `no OSD of this map ${exists ? 'is in' : 'exists'}; nothing can be mapped`;
}

/**
 * The arguments of osdmaptool that put every OSD of a map's file up and in. It writes a map only for some changes,
 * and marking is none of them; so an OSD's CRUSH weight is set too, to what it is.
 *
 * @param file - a word for a shell
 */
export function markUpInCommand(map: OsdMap, file: string): string | undefined {
  for (let osd = 0; osd < map.maxOsd; osd++) {
    const weight = itemWeight(map.crush, osd);
    if (weight === undefined) continue;
    // Marking gives OSDs without weight 1.0.
    const weightAfter = (weight === 0 ? WEIGHT_ONE : weight) / WEIGHT_ONE;
    return `osdmaptool ${file} --mark-up-in --adjust-crush-weight ${osd}:${weightAfter} --save`;
  }
  return undefined;
}
