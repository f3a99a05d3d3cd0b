/** What the system tells about one process. */
export interface ProcessFacts {
  pid: number;
  parent: number;
  /** Process group; 0 where the system has none (Windows). */
  group: number;
  /** Session; 0 where the system has none or does not tell. */
  session: number;
  /** Ended, and not yet waited for by its parent: it runs nothing, holds nothing, and its pid is not reused. */
  zombie: boolean;
  /** Stable text of boot and start time that tells a recycled pid from the process it named before. */
  identity: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
}

/** One way of asking the system about processes; an implementation a file. */
export interface ProcessTable {
  /** Undefined when there is no such process, or the system does not tell. */
  read(pid: number): Promise<ProcessFacts | undefined>;
  /** Everything visible now. Empty when the system does not tell. */
  snapshot(): Promise<ProcessFacts[]>;
  /** Whether an identity was recorded before the last restart: nothing with its pid is then what it was. */
  isFromAnotherBoot(identity: string): Promise<boolean>;
}

/** The signals used here. */
export type SignalName = "SIGTERM" | "SIGKILL" | "SIGINT" | "SIGSTOP" | "SIGCONT";
