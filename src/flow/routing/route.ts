import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { layoutOf } from "../common/layout.ts";
import { projectRoot } from "../common/project.ts";
import { announceRouting, chainOf } from "./announce.ts";
import { type FastPathReport, fastPathReport } from "./fast-path.ts";
import { liveScope } from "./live-scope.ts";
import type { Agent } from "./risk.ts";
import { routeRequest, type Signal, type WorkflowType } from "./words.ts";

export interface RouteReport {
  workflow: WorkflowType;
  priority: number;
  signal: Signal;
  signals: string[];
  other_signals: Partial<Record<Signal, string[]>>;
  chain: string;
  announce: string;
  /** Nothing is changed without another workflow. */
  advisory: boolean;
  build: FastPathReport | null;
  /** The workflow whose pending scope decision the next reply answers, before any routing. */
  live_scope_marker: string | null;
}

export interface RouteOptions {
  request: string;
  host: Agent;
  project: string | undefined;
}

/** `jig flow route` (docs/spec/flow.md 11.1): the workflow a request asks for. Reads the project's memory, writes nothing. */
export function route(host: Host, options: RouteOptions): Outcome<RouteReport> {
  const layout = layoutOf(projectRoot(host, options.project));
  const routing = routeRequest(options.request);
  const build =
    routing.workflow === "BUILD" ? fastPathReport(options.request, { host: options.host, added: [] }) : null;
  const { marker, notes } = liveScope(layout);
  const data: RouteReport = {
    workflow: routing.workflow,
    priority: routing.priority,
    signal: routing.signal,
    signals: routing.signals,
    other_signals: routing.otherSignals,
    chain: chainOf(routing, build),
    announce: announceRouting(routing),
    advisory: routing.workflow === "REVIEW",
    build,
    live_scope_marker: marker,
  };
  const lines = build === null ? [data.announce] : [data.announce, build.announce];
  return { data, text: lines.join("\n"), notes };
}
