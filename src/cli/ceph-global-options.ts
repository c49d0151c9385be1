/**
 * The options that every one of Ceph's programs has, which are taken out before its own are looked at: they name
 * configuration, keys and monitors, on which no mapping depends. Follows `ceph_argparse_early_args` (Ceph's
 * src/common/ceph_argparse.cc) and `md_config_t::parse_argv` (src/common/config.cc).
 */
import { CephArguments } from './ceph-arguments.ts';
import { CommandExit } from './io.ts';
import { packageVersion } from './package-root.ts';

/** What may stand before the dot of an entity's name. */
const ENTITY_TYPES = ['auth', 'mon', 'osd', 'mds', 'mgr', 'client'];

const EARLY_VALUES = ['--cluster', '--id', '--user'];

const CONFIG_FLAGS = ['--no-mon-config', '--mon-config', '--foreground', '-f', '-d'];
const CONFIG_VALUES = [
  ...['--monmap', '-M', '--mon-host', '-m', '--bind', '--keyfile', '-K', '--keyring', '-k'],
  ...['--client-mountpoint', '-r', '--setuser', '--setgroup'],
];
/** Names of settings with a value of their own, of which there are many. */
const SETTINGS = /^--(debug[-_].*|log[-_]file|admin[-_]socket)$/;

/**
 * Takes the global options out of a command line.
 *
 * @param warn - gets what the originals say of a setting that is wrong, after which they go on
 * @param onConf - gets the name of the configuration file, for the one command that reads it
 * @returns the arguments that are left
 * @throws CommandExit for `--version`, and for values that are missing or wrong
 */
export function takeGlobalOptions(
  argv: readonly string[],
  warn: (text: string) => void,
  onConf: (file: string) => void = () => undefined,
): readonly string[] {
  const early = takeEach(argv, (args) => takeEarly(args, onConf));
  return takeEach(early, (args) => takeSetting(args, warn));
}

/** Offers each argument up to a `--`, which stays. */
function takeEach(argv: readonly string[], take: (args: CephArguments) => boolean): readonly string[] {
  const args = new CephArguments(argv);
  while (args.more && args.current !== '--') {
    if (!take(args)) args.skip();
  }
  return args.rest;
}

function takeEarly(args: CephArguments, onConf: (file: string) => void): boolean {
  return (
    args.flag(['--version', '-v'], () => {
      throw new CommandExit(0, '', `crush-wasm version ${packageVersion()}\n`);
    }) ||
    args.flag(['--no-config-file'], () => undefined) ||
    args.text(['--conf', '-c'], onConf) ||
    args.text(EARLY_VALUES, () => undefined) ||
    args.text(['--name', '-n'], checkEntityName)
  );
}

function checkEntityName(name: string): void {
  const [type = '', ...id] = name.split('.');
  if (id.length > 0 && ENTITY_TYPES.includes(type)) return;
  throw new CommandExit(
    1,
    `error parsing '${name}': expected string of the form TYPE.ID, valid types are: ${ENTITY_TYPES.join(', ')}\n`,
  );
}

function takeSetting(args: CephArguments, warn: (text: string) => void): boolean {
  if (args.flag(CONFIG_FLAGS, () => undefined) || args.text(CONFIG_VALUES, () => undefined)) return true;
  const { current, currentName } = args;
  if (!SETTINGS.test(currentName)) return false;
  if (current === currentName && args.atLast) {
    const setting = currentName.slice(2).replaceAll('-', '_');
    warn(`parse error setting '${setting}' to '' (Option ${current} requires an argument.\n)\n\n`);
  }
  return args.lenientText([currentName], () => undefined);
}
