/*
 * What stays the same through one mapping: the map, the workspace, the input. Kept in globals, since every
 * function from the rule loop down needs them.
 */
import {
  B_PERM,
  H_BUCKET_INDEX,
  H_MAX_BUCKETS,
  H_MAX_DEVICES,
  H_MAX_SIZE,
  H_MAX_STEPS,
  H_PERM_WORDS,
  STATUS_OK,
} from './layout';
import { STATE_WORDS } from './state';

/** Address of the flat map. */
export let map: usize = 0;
/** Devices below this id exist. */
export let maxDevices: i32 = 0;
export let maxBuckets: i32 = 0;
/** Address of the reweights, and how many there are. */
export let reweights: usize = 0;
export let reweightCount: i32 = 0;
/** Address of the words that lead from bucket index to choose_args record, or 0. */
export let chooseArgs: usize = 0;
/** Most items of a mapping (`result_max`). */
export let resultMax: i32 = 0;
/** The input of this mapping (`x`). */
export let x: i32 = 0;
/** Bucket items that may still be drawn for this mapping. */
export let workLeft: i32 = 0;
/** STATUS_* of this mapping. */
export let status: i32 = STATUS_OK;
/** Address and length of the retry histogram, or 0. */
export let tries: usize = 0;
export let triesCount: u32 = 0;

/** Room for the hashes of a bucket's items. */
export let hashes: usize = 0;
/** Whether items are drawn in lanes. */
export let lanes: bool = false;

/** Address of the bucket index, and of the first permutation block. */
let bucketIndex: usize = 0;
let permutations: usize = 0;
/** Number of this mapping: a permutation block with another number is stale. */
let mappingNumber: i32 = 0;

// @ts-ignore: decorator
@inline
export function word(address: usize, index: i32): i32 {
  return load<i32>(address + ((<usize>index) << 2));
}

/**
 * Word `index` as an unsigned number. `<u64>(<u32>word(...))` is not the same: the compiler widens the load itself
 * to 64 bits, with the sign of `load<i32>`.
 */
// @ts-ignore: decorator
@inline
export function unsignedWord(address: usize, index: i32): u32 {
  return load<u32>(address + ((<usize>index) << 2));
}

// @ts-ignore: decorator
@inline
export function setWord(address: usize, index: i32, value: i32): void {
  store<i32>(address + ((<usize>index) << 2), value);
}

/** Room for the hashes of a bucket's items, and some more: vectors are stored whole. */
// @ts-ignore: decorator
@inline
function hashWords(mapAddress: usize): i32 {
  return word(mapAddress, H_MAX_SIZE) + 32;
}

/** Words of workspace that a map and result size need (`crush_work_size`). */
export function workspaceWords(mapAddress: usize, size: i32): i32 {
  // A header word; the permutations; the hashes; the state of a rule; three vectors for rules of old; for MSR rules,
  // a vector and an undo vector for each step.
  return (
    1 +
    word(mapAddress, H_PERM_WORDS) +
    hashWords(mapAddress) +
    STATE_WORDS +
    size * (3 + 2 * word(mapAddress, H_MAX_STEPS))
  );
}

/** Makes a workspace ready for its first batch (`crush_init_workspace`). */
export function initWorkspace(mapAddress: usize, workspace: usize): void {
  memory.fill(workspace, 0, (<usize>(1 + word(mapAddress, H_PERM_WORDS))) << 2);
}

/** Takes up a map and workspace for a batch; gives back the address of the result vectors in the workspace. */
export function enterBatch(
  mapAddress: usize,
  workspace: usize,
  size: i32,
  reweightsAddress: usize,
  reweightsLength: i32,
  chooseArgsAddress: usize,
  triesAddress: usize,
  triesLength: i32,
  inLanes: bool,
): usize {
  map = mapAddress;
  maxDevices = word(map, H_MAX_DEVICES);
  maxBuckets = word(map, H_MAX_BUCKETS);
  bucketIndex = map + ((<usize>word(map, H_BUCKET_INDEX)) << 2);
  resultMax = size;
  reweights = reweightsAddress;
  reweightCount = reweightsLength;
  chooseArgs = chooseArgsAddress;
  tries = triesAddress;
  triesCount = triesLength;
  lanes = inLanes;
  permutations = workspace + 4;
  mappingNumber = word(workspace, 0);
  hashes = permutations + ((<usize>word(map, H_PERM_WORDS)) << 2);
  return hashes + ((<usize>hashWords(map)) << 2);
}

/** Leaves a batch: the workspace remembers how many mappings it has seen. */
export function leaveBatch(workspace: usize): void {
  setWord(workspace, 0, mappingNumber);
}

/** Starts the mapping of one input. */
export function enterMapping(input: i32, workLimit: i32): void {
  x = input;
  workLeft = workLimit;
  status = STATUS_OK;
  mappingNumber++;
  if (mappingNumber == 0) {
    // The numbers have gone round: forget the old ones before they are met again.
    memory.fill(permutations, 0, (<usize>word(map, H_PERM_WORDS)) << 2);
    mappingNumber = 1;
  }
}

/** Turns to another of the inputs under way. What a permutation block holds is another's, and counts as stale. */
export function switchMapping(input: i32): void {
  x = input;
}

/** Gives the mapping up with a status; the first one stays. */
export function fail(code: i32): void {
  if (status == STATUS_OK) status = code;
}

/** Counts items about to be drawn against the work limit. */
// @ts-ignore: decorator
@inline
export function spend(items: i32): void {
  workLeft -= items;
}

/** Address of the record of bucket `id`, or 0; the id must be one that the bucket index has. */
// @ts-ignore: decorator
@inline
export function bucketAt(id: i32): usize {
  const offset = word(bucketIndex, -1 - id);
  return offset ? map + ((<usize>offset) << 2) : 0;
}

/** As {@link bucketAt}, for an id that may be no bucket's at all. */
export function findBucket(id: i32): usize {
  return id < 0 && -1 - id < maxBuckets ? bucketAt(id) : 0;
}

/** Address of the permutation block of a bucket, emptied if it is from an earlier mapping. */
export function permutationOf(bucket: usize): usize {
  const block = permutations + ((<usize>word(bucket, B_PERM)) << 2);
  if (word(block, 0) != mappingNumber) {
    setWord(block, 0, mappingNumber);
    setWord(block, 1, 0);
  }
  return block;
}

/** Counts a finished choice in the retry histogram (`choose_tries`). */
export function countTries(retries: u32): void {
  if (tries && retries < triesCount) {
    const at = tries + ((<usize>retries) << 2);
    store<i32>(at, load<i32>(at) + 1);
  }
}
