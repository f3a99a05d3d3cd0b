import { existsSync } from "node:fs";

/** Programs the tests need that npm does not bring, and the Debian package of each. */
const TOOLS: readonly { program: string[]; debian: string; why: string }[] = [
  { program: ["git"], debian: "git", why: "packs, plans and the demo run real git" },
  { program: ["ps"], debian: "procps", why: "process identity is tested against ps" },
  {
    program: ["python3"],
    debian: "python3",
    why: "the launchers named .py are started as skills start them",
  },
  {
    program: ["chromium", "chromium-browser", "google-chrome"],
    debian: "chromium",
    why: "the overlay is tested in a real browser",
  },
];

/** Programs some tests use when they are there; those tests are skipped without them. */
const HELPFUL: readonly Part[] = [{ program: "strace", debian: "strace" }];

interface Part {
  /** A name, or the path of a file that is no program. */
  program: string;
  debian: string;
}

/** Of the tests against a real ssh server and a real Slurm: large, and installed where everything is to be tried. */
const ENGINE_PARTS: readonly Part[] = [
  { program: "sshd", debian: "openssh-server" },
  { program: "ssh", debian: "openssh-client" },
  { program: "fish", debian: "fish" },
  { program: "slurmctld", debian: "slurmctld" },
  { program: "slurmd", debian: "slurmd" },
  { program: "sbatch", debian: "slurm-client" },
  { program: "munged", debian: "munge" },
];

/** Of the tests that run the Windows build: a gigabyte, installed likewise. */
const WINDOWS_PARTS: readonly Part[] =
  process.arch === "x64"
    ? [
        { program: "wine", debian: "wine" },
        { program: "wine64", debian: "wine64" },
        { program: "x86_64-w64-mingw32-gcc", debian: "gcc-mingw-w64-x86-64-win32" },
      ]
    : [];

/** Of the tests that run the arm64 build: an emulator and the libraries of that processor. */
const TARGET_PARTS: readonly Part[] =
  process.arch === "x64"
    ? [
        { program: "qemu-aarch64-static", debian: "qemu-user-static" },
        { program: "/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1", debian: "libc6-arm64-cross" },
      ]
    : [];

/** Install what is missing through apt when we may; the lines say what a person has to install. */
export async function ensureTools(): Promise<string[]> {
  const missing = TOOLS.filter((tool) => !tool.program.some((name) => Bun.which(name) !== null));
  const isAll = process.env["JIG_TEST_ALL"] === "1" || process.env["CI"] === "true";
  const wanted = [...HELPFUL, ...(isAll ? [...ENGINE_PARTS, ...WINDOWS_PARTS, ...TARGET_PARTS] : [])];
  const helpful = wanted.filter((tool) => which(tool.program) === null);
  const packages = [...missing, ...helpful].map((tool) => tool.debian);
  if (packages.length === 0) return [];
  if (mayInstall()) {
    console.log(`test: installing ${packages.join(", ")} with apt-get`);
    apt(["update", "-qq"]);
    for (const name of packages) apt(["install", "-y", "-qq", "--no-install-recommends", name]);
  }
  return TOOLS.filter((tool) => !tool.program.some((name) => Bun.which(name) !== null)).map(
    (tool) =>
      `${tool.program[0]} is missing (${tool.why}); install it, on Debian: apt-get install ${tool.debian}`,
  );
}

/** Daemons are not on everybody's PATH, nor is what Wine starts. */
function which(program: string): string | null {
  if (program.startsWith("/")) return existsSync(program) ? program : null;
  return Bun.which(program) ?? Bun.which(program, { PATH: "/usr/sbin:/sbin:/usr/lib/wine" });
}

function mayInstall(): boolean {
  return process.platform === "linux" && process.geteuid?.() === 0 && Bun.which("apt-get") !== null;
}

function apt(words: string[]) {
  Bun.spawnSync(["apt-get", ...words], {
    // Of a daemon only its program is wanted: no service is started (RUNLEVEL).
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
    stdio: ["ignore", "ignore", "inherit"],
  });
}
