/** An environment as a value. Reading a variable whose bytes are not UTF-8 throws (`Host.env`). */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a variable can be read: it is unset, or its bytes are UTF-8. */
export function isReadable(env: Environment, name: string): boolean {
  try {
    void env[name];
    return true;
  } catch {
    return false;
  }
}

/** The variables that can be read: for jig's own processes, which want nothing of the others. */
export function readableVariables(env: Environment): Record<string, string | undefined> {
  const kept: Record<string, string | undefined> = {};
  for (const name of Object.keys(env)) {
    if (isReadable(env, name)) kept[name] = env[name];
  }
  return kept;
}

/**
 * All variables, for a program of the user's, which has to get them as they are. Throws `JigError` that names the one
 * that cannot be read, so call it before anything is done.
 */
export function everyVariable(env: Environment): Record<string, string | undefined> {
  return { ...env };
}
