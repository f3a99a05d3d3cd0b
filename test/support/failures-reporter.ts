import { stripVTControlCharacters } from "node:util";
import type { Reporter, TestModule } from "vitest/node";

/** Names what failed, and what passed only when tried again, at the very end: CI logs are often read from their end. */
export default class FailuresReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { message: string }[]) {
    const lines = [
      ...modules.flatMap((module) => [
        ...module.errors().map((error) => line(module.relativeModuleId, error.message)),
        ...[...module.children.allTests("failed")].map((test) =>
          line(`${module.relativeModuleId} ${test.name}`, test.result().errors?.[0]?.message ?? ""),
        ),
      ]),
      ...unhandled.map((error) => line("unhandled", error.message)),
    ];
    const retried = modules.flatMap((module) =>
      [...module.children.allTests("passed")]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) =>
          line(`${module.relativeModuleId} ${test.name}`, test.result().errors?.[0]?.message ?? ""),
        ),
    );
    if (retried.length > 0) console.log(["passed when tried again:", ...retried].join("\n"));
    if (lines.length > 0) console.log(["failed:", ...lines].join("\n"));
  }
}

function line(where: string, message: string): string {
  const plain = stripVTControlCharacters(message).replace(/\s+/g, " ");
  return `- ${where.slice(0, 90)}: ${plain.slice(0, 110)}`;
}
