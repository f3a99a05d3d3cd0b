import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { signAdHoc, verifyMachO } from "../../scripts/macho.ts";
import { BUN, JIG, ROOT } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

const head = () => execFileSync("git", ["rev-parse", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim();

describe("the build", () => {
  test("cli-21 version equals package.json, commit equals HEAD", { timeout: 60_000 }, async () => {
    const outdir = tempDir();
    const build = await runJig(["build.ts", "--outdir", outdir], {
      program: BUN,
      cwd: ROOT,
      timeout: 50_000,
    });
    expect([build.code, build.stderr]).toEqual([0, ""]);
    const version = await runJig(["version", "--json"], { program: join(outdir, "jig") });
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(JSON.parse(version.stdout)).toMatchObject({
      version: manifest.version,
      commit: head(),
      compiled: true,
    });
  });

  test("cli-22 every file under skills/ and assets/ is in the binary byte for byte", {
    timeout: 60_000,
  }, async () => {
    const outdir = tempDir();
    const name = "jig";
    copyFileSync(JIG, join(outdir, name));
    const check = (directory: string) =>
      runJig(["build.ts", "--check", "--outdir", directory], { program: BUN, cwd: ROOT, timeout: 50_000 });
    expect(await check(outdir)).toMatchObject({ code: 0, stderr: "" });

    // The check itself fails when one byte of an embedded file differs.
    const bytes = readFileSync(join(outdir, name));
    const skill = readFileSync(join(ROOT, "skills/jig-jobs/SKILL.md"));
    const at = bytes.indexOf(skill);
    expect(at).toBeGreaterThan(0);
    bytes[at + 10]! ^= 1;
    writeFileSync(join(outdir, name), bytes);
    const broken = await check(outdir);
    expect(broken.code).toBe(1);
    expect(broken.stderr).toContain("skills/jig-jobs/SKILL.md");

    for (const file of ["jig-jobs/SKILL.md", "jig-brainstorm/references/dialogue.md"]) {
      const [name, ...path] = file.split("/");
      const shown = await runJig(["skills", "show", name!, path.join("/"), "--raw"]);
      expect([file, shown.code, shown.bytes.equals(readFileSync(join(ROOT, "skills", file)))]).toEqual([
        file,
        0,
        true,
      ]);
    }
  });

  test("two builds of one commit are the same bytes", { timeout: 60_000 }, async () => {
    const sums = [];
    for (const outdir of [tempDir(), tempDir()]) {
      await runJig(["build.ts", "--quiet", "--outdir", outdir], { program: BUN, cwd: ROOT, timeout: 50_000 });
      sums.push(
        createHash("sha256")
          .update(readFileSync(join(outdir, "jig")))
          .digest("hex"),
      );
    }
    expect(sums[0]).toBe(sums[1]);
  });

  test("an unknown target is named", async () => {
    const run = await runJig(["build.ts", "--target", "jig-amiga"], { program: BUN, cwd: ROOT });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("jig-amiga");
  });
});

describe("the signature check of darwin builds", () => {
  /** A small Mach-O file with a broken signature: a header, three load commands, pages, room for a signature. */
  function unsigned(pages: Buffer): Buffer {
    const header = Buffer.alloc(32);
    header.writeUInt32LE(0xfeedfacf, 0);
    header.writeUInt32LE(3, 16);
    const segment = (name: string, offset: number, size: number) => {
      const command = Buffer.alloc(72);
      command.writeUInt32LE(0x19, 0);
      command.writeUInt32LE(72, 4);
      command.write(name, 8);
      command.writeBigUInt64LE(BigInt(offset), 40);
      command.writeBigUInt64LE(BigInt(size), 48);
      return command;
    };
    const signature = Buffer.alloc(16);
    signature.writeUInt32LE(0x1d, 0);
    signature.writeUInt32LE(16, 4);
    const end = 32 + 72 * 2 + 16 + pages.length;
    signature.writeUInt32LE(end, 8);
    signature.writeUInt32LE(64, 12);
    return Buffer.concat([
      header,
      segment("__TEXT", 0, 4096),
      segment("__LINKEDIT", 4096, end - 4032),
      signature,
      pages,
      Buffer.alloc(64),
    ]);
  }

  const signed = (pages: Buffer) => Buffer.from(signAdHoc(unsigned(pages), "jig"));

  test("accepts matching pages, and names the page that differs", () => {
    expect(verifyMachO(unsigned(Buffer.alloc(10_000, 7)))).not.toEqual([]);
    const file = signed(Buffer.alloc(10_000, 7));
    expect(verifyMachO(file)).toEqual([]);
    // The last segment reaches exactly to the end of the new signature.
    expect(Number(file.readBigUInt64LE(32 + 72 + 40) + file.readBigUInt64LE(32 + 72 + 48))).toBe(file.length);
    file[5000]! ^= 1;
    expect(verifyMachO(file)).toEqual([expect.stringContaining("page 1 does not match")]);
  });

  test("refuses a file without a signature, and one that is no Mach-O", () => {
    const bare = Buffer.alloc(64);
    bare.writeUInt32LE(0xfeedfacf, 0);
    expect(verifyMachO(bare)).toEqual(["has no code signature"]);
    expect(verifyMachO(Buffer.from("#!/bin/sh\n"))).toEqual(["not a 64-bit Mach-O file"]);
  });
});

describe.skipIf(process.platform !== "linux")("install.sh", () => {
  const ASSETS = ["jig-linux-x64", "jig-linux-x64-baseline", "jig-linux-arm64", "jig-linux-x64-musl"];

  /** A release folder whose assets are a small program that answers `version`. */
  function release() {
    const directory = tempDir();
    const lines = ASSETS.map((name) => {
      writeFileSync(join(directory, name), "#!/bin/sh\necho jig 9.9.9\n");
      return `${createHash("sha256")
        .update(readFileSync(join(directory, name)))
        .digest("hex")}  ${name}\n`;
    });
    writeFileSync(join(directory, "SHA256SUMS"), lines.join(""));
    return directory;
  }

  function install(from: string, to: string, env: Record<string, string> = {}) {
    const all = { JIG_RELEASE_URL: from, JIG_INSTALL_DIR: to, ...env };
    return runJig([join(ROOT, "install.sh")], { program: "sh", env: all });
  }

  test("cli-23 installs what matches its checksum and refuses everything else", async () => {
    const target = join(tempDir(), "bin dir");
    const good = await install(release(), target);
    expect([good.code, good.stderr]).toEqual([0, ""]);
    expect(good.stdout).toContain("export PATH=");
    expect((await runJig(["version"], { program: join(target, "jig") })).stdout).toBe("jig 9.9.9\n");
    expect(readdirSync(target)).toEqual(["jig"]);

    const changed = release();
    for (const name of ASSETS) writeFileSync(join(changed, name), "#!/bin/sh\necho jig 9.9.8\n");
    const elsewhere = join(tempDir(), "bin");
    const refused = await install(changed, elsewhere);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("does not match its checksum");
    expect(existsSync(join(elsewhere, "jig"))).toBe(false);
    expect(readdirSync(elsewhere)).toEqual([]);

    const bare = tempDir();
    for (const name of ASSETS) copyFileSync(join(changed, name), join(bare, name));
    const unsummed = await install(bare, elsewhere);
    expect(unsummed.code).toBe(1);
    expect(unsummed.stderr).toContain("SHA256SUMS");
    expect(existsSync(join(elsewhere, "jig"))).toBe(false);
  });

  test("keeps the installed binary when a later install is refused", async () => {
    const target = join(tempDir(), "bin");
    await install(release(), target);
    const changed = release();
    for (const name of ASSETS) writeFileSync(join(changed, name), "other");
    expect((await install(changed, target)).code).toBe(1);
    expect((await runJig(["version"], { program: join(target, "jig") })).stdout).toBe("jig 9.9.9\n");
  });

  test("refuses a directory that has the place of the binary, and writes nothing into it", async () => {
    const target = join(tempDir(), "bin");
    mkdirSync(join(target, "jig"), { recursive: true });
    const run = await install(release(), target);
    expect([run.code, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toContain(`${join(target, "jig")} is a directory`);
    expect(readdirSync(target)).toEqual(["jig"]);
    expect(readdirSync(join(target, "jig"))).toEqual([]);
  });

  test("says what is wrong on a processor without a build", async () => {
    const bin = join(tempDir(), "fake");
    mkdirSync(bin);
    writeFileSync(join(bin, "uname"), '#!/bin/sh\n[ "$1" = -m ] && echo riscv64 || echo Linux\n');
    chmodSync(join(bin, "uname"), 0o755);
    const run = await install(release(), join(tempDir(), "bin"), { PATH: `${bin}:${process.env["PATH"]}` });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("riscv64");
  });
});
