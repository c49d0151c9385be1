/** Commands that are suggested to a person, in a form that can be pasted into a shell. */

/** Lines that suggest commands, each given without the program's name. */
export function nextSteps(commands: readonly string[]): string {
  const program = programName(process.env);
  return `Next, try:\n${commands.map((command) => `  ${program} ${command}\n`).join('')}`;
}

/** How the person at the other end runs this program: npm tells its scripts what it runs, and so does npx. */
function programName(env: Readonly<Record<string, string | undefined>>): string {
  const script = env.npm_lifecycle_event;
  if (env.npm_package_name === 'crush-wasm' && (script === 'start' || script === 'crush')) {
    return 'npm run -s crush --';
  }
  return env.npm_command === 'exec' ? 'npx crush-wasm' : 'crush-wasm';
}
