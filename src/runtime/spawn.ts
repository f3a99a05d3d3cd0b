import type { ChildProcess, StdioOptions } from "node:child_process";

export interface SpawnOptions {
  cwd?: string;
  /** The whole environment of the child: nothing is added to it. */
  env: Readonly<Record<string, string | undefined>>;
  /** Bytes for the child's stdin; the null device without. */
  input?: Uint8Array;
  /** Instead of `input`: a pipe that the caller writes to (`Child.stdin`). */
  stdin?: "pipe";
  /** A pipe to read, the null device, or an open descriptor. */
  stdout: "pipe" | "ignore" | number;
  stderr: "pipe" | "ignore" | number;
  /** In a session and process group of its own, which outlive the caller. */
  detached?: boolean;
  /**
   * In a process group of its own, to be ended as one, and out of reach of the terminal's Ctrl-C. On Windows with a console
   * of its own that has no window: the programs it starts would each open one if it had none.
   */
  grouped?: boolean;
  /** Windows: the words are joined as they are, since they carry their quotes already. */
  verbatim?: boolean;
}

/** How a child ended: by its own code, or by a signal (its name, or its number when it has no name). */
export type ChildExit = { code: number } | { signal: string | number };

export interface Child {
  readonly pid: number;
  /** Settles as soon as the child is gone; never rejects. */
  readonly exited: Promise<ChildExit>;
  readonly stdout: AsyncIterable<Uint8Array> | undefined;
  readonly stderr: AsyncIterable<Uint8Array> | undefined;
  /** With `stdin: "pipe"`. A child that no longer reads is its own business: neither call throws. */
  readonly stdin: ChildInput | undefined;
  /** The caller may end before the child. */
  unref(): void;
}

/** The writing end of a child's stdin. */
export interface ChildInput {
  write(bytes: Uint8Array): void;
  end(): void;
}

// The few calls of Bun.spawn used here; `bun-types` is not visible to Deno's checker.
interface BunSubprocess {
  pid: number;
  exited: Promise<number>;
  exitCode: number | null;
  signalCode: string | number | null;
  stdout: AsyncIterable<Uint8Array> | null;
  stderr: AsyncIterable<Uint8Array> | null;
  stdin: BunSink | null;
  unref(): void;
}

interface BunSink {
  write(bytes: Uint8Array): unknown;
  flush(): unknown;
  end(): unknown;
}

/**
 * Start a program directly, never through a shell, with no descriptor but the three standard ones.
 * Throws the operating system's error (`ENOENT`, `EACCES`, `ENOEXEC` …) when it cannot be executed.
 */
export async function spawn(argv: readonly string[], options: SpawnOptions): Promise<Child> {
  if (!("Bun" in globalThis)) return spawnNode(argv, options);
  if (process.platform !== "win32") return spawnBun(argv, options);
  return spawnBun(argv, options, await (await import("./windows-exit.ts")).exitCodeHolder());
}

function spawnBun(
  argv: readonly string[],
  options: SpawnOptions,
  hold?: (pid: number) => () => number | undefined,
): Child {
  const started = Bun.spawn([...argv], {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: options.env,
    stdin: options.stdin ?? options.input ?? "ignore",
    stdout: options.stdout,
    stderr: options.stderr,
    detached: hasOwnGroup(options),
    windowsHide: true,
    windowsVerbatimArguments: options.verbatim ?? false,
  }) as unknown as BunSubprocess;
  const wholeCode = hold?.(started.pid);
  return {
    pid: started.pid,
    // `exited` alone reports 128+n for a signal, which a worker can also return by itself.
    exited: started.exited.then((code) =>
      started.signalCode === null
        ? { code: wholeCode?.() ?? started.exitCode ?? code }
        : { signal: started.signalCode },
    ),
    stdout: options.stdout === "pipe" ? (started.stdout ?? undefined) : undefined,
    stderr: options.stderr === "pipe" ? (started.stderr ?? undefined) : undefined,
    stdin: options.stdin === "pipe" && started.stdin !== null ? bunInput(started.stdin) : undefined,
    unref: () => started.unref(),
  };
}

/** What the runtimes call detached is on Windows without any console. */
function hasOwnGroup({ detached = false, grouped = false }: SpawnOptions): boolean {
  return detached || (grouped && process.platform !== "win32");
}

function bunInput(sink: BunSink): ChildInput {
  const quietly = (call: () => unknown) => {
    try {
      // A broken pipe may come at once or later.
      Promise.resolve(call()).catch(() => {});
    } catch {
      // The child has ended.
    }
  };
  return {
    write(bytes) {
      quietly(() => sink.write(bytes));
      quietly(() => sink.flush());
    },
    end: () => quietly(() => sink.end()),
  };
}

async function spawnNode(argv: readonly string[], options: SpawnOptions): Promise<Child> {
  const childProcess = await import("node:child_process");
  const [file, ...words] = argv;
  const stdio: StdioOptions = [
    options.stdin ?? (options.input === undefined ? "ignore" : "pipe"),
    options.stdout,
    options.stderr,
  ];
  const started = childProcess.spawn(file!, words, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: options.env as NodeJS.ProcessEnv,
    stdio,
    detached: hasOwnGroup(options),
    windowsHide: true,
    windowsVerbatimArguments: options.verbatim ?? false,
  });
  const exited = new Promise<ChildExit>((resolve) => {
    started.once("exit", (code, signal) => resolve(signal === null ? { code: code ?? 0 } : { signal }));
  });
  await startedOrFailed(started);
  // A child that ends without reading its input is its own business.
  started.stdin?.on("error", () => {});
  if (options.input !== undefined) started.stdin?.end(options.input);
  return {
    pid: started.pid!,
    exited,
    stdout: started.stdout ?? undefined,
    stderr: started.stderr ?? undefined,
    stdin:
      options.stdin === undefined
        ? undefined
        : { write: (bytes) => void started.stdin?.write(bytes), end: () => void started.stdin?.end() },
    unref: () => started.unref(),
  };
}

function startedOrFailed(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
}
