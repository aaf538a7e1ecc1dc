import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { access, chmod, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { openHome, StartError } from "../src/index.ts";

test.runIf(existsSync("/proc/self"))("a data folder where the system creates nothing ends the start", async () => {
  const refused = openHome("/proc/gatehouse", false);
  await expect(refused).rejects.toThrow(StartError);
  await expect(refused).rejects.toThrow(
    "/proc/gatehouse cannot be written (ENOENT). Make it writable, or set GATEHOUSE_HOME",
  );
});

test("a first start that a full disk has stopped leaves no half of a secret, and the next one makes it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-home-"));
  try {
    const home = join(folder, "home");
    const script = `const { openHome } = await import(${JSON.stringify(new URL("../src/home.ts", import.meta.url).href)});
      await openHome(${JSON.stringify(home)}, false).catch((err) => process.exit(err.message.includes("(EFBIG)") ? 3 : 4));`;
    // Like a full disk, the limit accepts a new file and none of its bytes.
    const node = ["--conditions=@gatehouse/source", "--input-type=module", "--eval", script];
    const limited = spawnSync("/bin/sh", ["-c", 'ulimit -f 0; exec "$0" "$@"', process.execPath, ...node]);
    expect(limited.status).toBe(3);
    const { rootSecret } = await openHome(home, false);
    expect(rootSecret.reveal()).toMatch(/^[\w-]{43}$/);
    expect((await openHome(home, false)).rootSecret.reveal()).toBe(rootSecret.reveal());
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each(["postgres/cluster", "logbook/audit-checkpoints.jsonl"])(
  "a folder with %s and without the secret that belongs to it ends the start, and no other secret is made",
  async (trace) => {
    const folder = await mkdtemp(join(tmpdir(), "gatehouse-home-"));
    try {
      await mkdir(join(folder, trace), { recursive: true });
      const secret = join(folder, "root-secret");
      const problem = `${secret} is missing, but ${join(folder, trace)} shows that this installation had one.`;
      await expect(openHome(folder, false)).rejects.toThrow(problem);
      await expect(openHome(folder, false)).rejects.toThrow(StartError);
      await expect(access(secret)).rejects.toThrow("ENOENT");
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

test.each([
  { present: "711", isPassedThrough: false, left: "711" },
  { present: "711", isPassedThrough: true, left: "711" },
  { present: "755", isPassedThrough: false, left: "711" },
  { present: "777", isPassedThrough: false, left: "711" },
  { present: "700", isPassedThrough: true, left: "711" },
  { present: "744", isPassedThrough: false, left: "700" },
  { present: "500", isPassedThrough: false, left: "700" },
])(
  "a folder of mode $present loses what others may read or change, and keeps the passage of a running Postgres",
  async ({ present, isPassedThrough, left }) => {
    const folder = await mkdtemp(join(tmpdir(), "gatehouse-home-"));
    try {
      await chmod(folder, Number.parseInt(present, 8));
      await openHome(folder, isPassedThrough);
      expect(((await stat(folder)).mode & 0o777).toString(8)).toBe(left);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
