/**
 * The settings of Ceph's configuration that new maps are made by, from the command line and from a configuration
 * file. Follows Ceph's src/common/ConfUtils.cc and src/common/options.
 */
import { CephArguments } from '../ceph-arguments.ts';

/** Settings as far as they are given; see the options of the same names in Ceph's documentation. */
export interface PoolSettings {
  readonly osd_pool_default_size?: number;
  readonly osd_pool_default_min_size?: number;
  readonly osd_pool_default_flag_hashpspool?: boolean;
  readonly osd_pool_default_pg_autoscale_mode?: string;
  readonly osd_crush_chooseleaf_type?: number;
}

type Name = keyof PoolSettings;

/** What each setting takes; it gives an error's words where it does not. */
const KINDS: Readonly<Record<Name, (text: string) => number | boolean | string | Error>> = {
  osd_pool_default_size: (text) => whole(text, 0, 10),
  osd_pool_default_min_size: (text) => whole(text, 0, 255),
  osd_pool_default_flag_hashpspool: (text) => truth(text),
  osd_pool_default_pg_autoscale_mode: (text) =>
    ['off', 'warn', 'on'].includes(text) ? text : new Error(`'${text}' is not one of the permitted values`),
  osd_crush_chooseleaf_type: (text) => whole(text, -Infinity, Infinity),
};
const NAMES = Object.keys(KINDS) as Name[];

/** A configuration file: values by name, by section, sections in the order of their names. */
export type CephConf = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Takes settings out of a command line; `warn` gets what the originals say of one that is wrong. They take no more
 * after it, so what follows is left as if it were no option.
 */
export function takePoolSettings(
  argv: readonly string[],
  warn: (text: string) => void,
): { settings: PoolSettings; rest: readonly string[] } {
  const settings: Partial<Record<Name, number | boolean | string>> = {};
  const args = new CephArguments(argv);
  const wrong: string[] = [];
  while (args.more && args.current !== '--' && wrong.length === 0) {
    const taken = NAMES.some((name) =>
      args.lenientText([`--${name}`], (text) => {
        const value = KINDS[name](text);
        if (value instanceof Error) {
          warn(`parse error setting '${name}' to '${text}' (${value.message})\n\n`);
          wrong.push(name);
        } else settings[name] = value;
      }),
    );
    if (!taken) args.skip();
  }
  return { settings: settings as PoolSettings, rest: args.rest };
}

/** The settings of a configuration file that a client takes; those that are wrong are passed over. */
export function poolSettingsOf(conf: CephConf): PoolSettings {
  const settings: Partial<Record<Name, number | boolean | string>> = {};
  for (const section of ['global', 'client', 'client.admin']) {
    for (const name of NAMES) {
      const text = conf.get(section)?.get(name);
      const value = text === undefined ? undefined : KINDS[name](text);
      if (value !== undefined && !(value instanceof Error)) settings[name] = value;
    }
  }
  return settings as PoolSettings;
}

/**
 * Reads a configuration file: `[section]` lines, and `name = value` lines whose names may have blanks, hyphens or
 * underscores; `;` and `#` begin comments, a backslash at its end joins a line to the next.
 */
export function readCephConf(text: string): CephConf {
  const sections = new Map<string, Map<string, string>>();
  let current = 'global';
  for (const line of text.replace(/\\\r?\n/g, '').split(/\r?\n/)) {
    const content = withoutComment(line).trim();
    const heading = /^\[([^\]]*)\]$/.exec(content)?.[1];
    if (heading !== undefined) current = heading.trim();
    const equals = content.indexOf('=');
    const section = sections.get(current) ?? new Map<string, string>();
    sections.set(current, section);
    if (heading !== undefined || equals < 0) continue;
    const name = content
      .slice(0, equals)
      .trim()
      .replace(/[\s-]+/g, '_');
    section.set(name, unquoted(content.slice(equals + 1).trim()));
  }
  return new Map([...sections].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function withoutComment(line: string): string {
  const match = /^(?:"[^"]*"|'[^']*'|\\[;#]|[^;#])*/.exec(line);
  return match?.[0] ?? '';
}

function unquoted(text: string): string {
  return /^(["']).*\1$/s.test(text) && text.length >= 2 ? text.slice(1, -1) : text.replace(/\\([;#])/g, '$1');
}

/** What the suffixes of a number stand for: powers of 1000, by their place. */
const SI_SUFFIXES = ' KMGTPE';

function whole(text: string, least: number, most: number): number | Error {
  if (text === '') return new Error('strict_sistrtoll: value not specified');
  const match = /^([+-]?[0-9]+)([KMGTPE]?)$/.exec(text);
  if (match === null) return new Error('strict_si_cast: unit prefix not recognized');
  const [, digits = '', suffix = ''] = match;
  const value = Number(digits) * 1000 ** Math.max(0, SI_SUFFIXES.indexOf(suffix || ' '));
  if (Math.abs(value) >= 2 ** 63) return new Error(`The option value '${text}' seems to be invalid`);
  if (value < 0 && least >= 0) return new Error('strict_sistrtoll: value should not be negative');
  return value > most ? new Error(`Value '${value}' exceeds maximum ${most}`) : value;
}

function truth(text: string): boolean | Error {
  if (/^(true|yes|on|1)$/i.test(text)) return true;
  if (/^(false|no|off|0)$/i.test(text)) return false;
  return new Error(`Expected option value to be boolean, got '${text}'`);
}
