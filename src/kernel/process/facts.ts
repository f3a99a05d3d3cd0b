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

/** One process, named by pid and identity, kept in hand so that a later signal reaches it or nobody. */
export interface HeldProcess {
  readonly pid: number;
  readonly identity: string | undefined;
  /** False when it is gone or may not be signalled. */
  signal(name: SignalName): Promise<boolean>;
  close(): void;
}

/** Which tree to end, and how. */
export interface TreeKill {
  /** Leader of the tree, of its process group and of its session. */
  pid: number;
  /** The leader's identity. Without one, the process at that pid counts as the leader. */
  identity: string | undefined;
  /** Milliseconds between asking the tree to end and killing it. */
  graceMs: number;
  /** Settles true when the leader ends within this time. Without it the process table is polled. */
  leaderEndedWithin?(milliseconds: number): Promise<boolean>;
  /**
   * Whether a process that bears the leader's number as its group or session is one of the leader's. Asked once the
   * leader is gone: a stranger may then have had the number, and be gone, too. Not needed by the leader's parent, which
   * has just seen it end.
   */
  isMember?(pid: number): boolean;
}
