import { UsageError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { absoluteFrom } from "../../../kernel/files/contain.ts";
import { isDirectory, isRegularFile } from "../../../kernel/files/look.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { MEMORY_FILES } from "../../common/layout.ts";
import { projectOf } from "../../common/project.ts";
import {
  findWorkspace,
  mayWriteMemory,
  readWorkspaceConfig,
  WORKSPACE_CONFIG,
} from "../../common/workspace.ts";
import type { WorkspaceShow } from "../schema.ts";
import { workspaceTier } from "../store/tier.ts";

/** `jig flow workspace show` (docs/spec/flow.md 13): which workspace a project belongs to, and what it may do there. */
export async function workspaceShow(host: Host, cwd: string | undefined): Promise<Outcome<WorkspaceShow>> {
  const directory = cwd === undefined ? host.cwd : absoluteFrom(host.cwd, cwd);
  if (!isDirectory(directory))
    throw new UsageError(`--cwd ${printable(cwd ?? "")}: not an existing directory`);
  const project = projectOf(directory, host);
  const workspace = findWorkspace(host, project);
  if (workspace === undefined) {
    return {
      data: { project_root: project, workspace_root: null, files: [], config: null, may_write: false },
      text: "no workspace",
      exitCode: 1,
    };
  }
  const tier = workspaceTier(workspace);
  const files = MEMORY_FILES.map((file) => ({
    path: tier.path(file),
    exists: isRegularFile(tier.path(file)),
  }));
  const { members, memoryWritable, reason, state } = readWorkspaceConfig(workspace);
  const data: WorkspaceShow = {
    project_root: project,
    workspace_root: workspace,
    files,
    config: { state, reason, members, memory_writable: memoryWritable },
    may_write: mayWriteMemory(workspace, project),
  };
  return { data, text: textOf(data) };
}

function textOf({ config, files, may_write, workspace_root }: WorkspaceShow): string {
  const members = config!.members.length === 0 ? "none" : config!.members.join(", ");
  const said = { absent: "none", unreadable: `unreadable: ${config!.reason}`, read: `members: ${members}` };
  return [
    `workspace\t${printable(workspace_root!)}`,
    ...files.map(({ exists, path }) => `${exists ? "file" : "missing"}\t${printable(path)}`),
    `${WORKSPACE_CONFIG}\t${printable(said[config!.state])}`,
    `may write\t${may_write ? "yes" : "no"}`,
  ].join("\n");
}
