import { describe, expect, test } from "vitest";
import { sleep } from "../../../src/kernel/text/time.ts";

describe("sleep", () => {
  test("a time longer than a timer takes is long, not over at once", async () => {
    const stop = new AbortController();
    const years = sleep(1e12, stop.signal).then(() => "over");
    const moment = new Promise((resolve) => setTimeout(resolve, 30, "still waiting"));
    expect(await Promise.race([years, moment])).toBe("still waiting");
    stop.abort();
    expect(await years).toBe("over");
  });
});
