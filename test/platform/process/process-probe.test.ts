import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ProcessRef } from "../../../src/core/process.ts";
import { createProcessProbe } from "../../../src/platform/process/process-probe.ts";
import { createProcfsProcesses, sightingOf } from "../../../src/platform/process/procfs-processes.ts";
import { canMount, isRoot, NOBODY, skipUnless } from "../../support/privileges.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { systemCalls } from "../call-in-child.ts";

const { call, callWithin } = systemCalls();
const probe = createProcessProbe({ host: "here", soleMachine: true });

function startSleeper(): ChildProcess & { readonly pid: number } {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return Object.assign(child, { pid: child.pid ?? -1 });
}

function found(pid: number): ProcessRef {
  const ref = probe.find(pid);
  if (ref === null) throw new Error(`process ${pid} was not found`);
  return ref;
}

/** A process that has ended and whose parent does not ask for its result. */
async function startZombie(): Promise<number> {
  const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 600"], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = await once(createInterface({ input: parent.stdout }), "line");
  return Number(line);
}

function errorWith(code: string): (pid: number) => void {
  return () => {
    throw Object.assign(new Error(code), { code });
  };
}

describe("real processes", () => {
  test("a running process is alive", () => {
    expect(probe.verdict(found(startSleeper().pid))).toBe("alive");
  });

  test("this process finds itself as it names itself", () => {
    expect(probe.find(process.pid)).toEqual(probe.self());
    expect(probe.verdict(probe.self())).toBe("alive");
  });

  test("a killed process is gone", async () => {
    const child = startSleeper();
    const ref = found(child.pid);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(probe.verdict(ref)).toBe("gone");
    expect(probe.find(child.pid)).toBeNull();
  });

  test("a stopped process is alive, and suspended until it is continued", async () => {
    const child = startSleeper();
    const ref = found(child.pid);
    expect(probe.isSuspended(ref)).toBe(false);
    child.kill("SIGSTOP");
    await vi.waitFor(() => expect(probe.isSuspended(ref)).toBe(true));
    expect(probe.verdict(ref)).toBe("alive");
    expect(probe.isSuspended({ ...ref, startTicks: "1" })).toBe(false);
    expect(probe.isSuspended({ ...ref, host: "elsewhere" })).toBe(false);
    child.kill("SIGCONT");
    await vi.waitFor(() => expect(probe.isSuspended(ref)).toBe(false));
  });

  test("a zombie is gone", async () => {
    const pid = await startZombie();
    await vi.waitFor(() => expect(probe.find(pid)).toBeNull());
    expect(probe.verdict({ ...probe.self(), pid })).toBe("gone");
  });

  test("a reused pid does not pass for the process that had it before", () => {
    const ref = found(startSleeper().pid);
    expect(probe.verdict({ ...ref, startTicks: String(Number(ref.startTicks) - 1) })).toBe("gone");
  });
});

describe("what cannot be known is unknown", () => {
  test.each([
    ["of another host", { host: "elsewhere" }, "unknown"],
    ["of another pid namespace", { pidNamespace: "pid:[1]" }, "unknown"],
    ["of another boot of this host", { bootId: "an earlier boot" }, "gone"],
    ["of another boot of another host", { host: "elsewhere", bootId: "an earlier boot" }, "unknown"],
    ["of a boot without a name", { bootId: "unknown-boot" }, "unknown"],
    ["whose start could not be read", { startTicks: "" }, "unknown"],
    ["with the number of a process group", { pid: 0 }, "unknown"],
    ["with a negative number", { pid: -1 }, "unknown"],
    ["with half a number", { pid: 1.5 }, "unknown"],
  ] as const)("a process %s", (_, difference, verdict) => {
    expect(probe.verdict({ ...probe.self(), ...difference })).toBe(verdict);
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 40])("nothing is found under the number %d", (pid) => {
    expect(probe.find(pid)).toBeNull();
  });
});

/** A /proc that shows this process and no other. */
function emptyProc(): string {
  const procRoot = temporaryDirectory();
  symlinkSync(String(process.pid), join(procRoot, "self"));
  mkdirSync(join(procRoot, String(process.pid)));
  return procRoot;
}

describe("a /proc that hides processes", () => {
  test.each([
    ["has no such process", errorWith("ESRCH"), "nothing"],
    ["forbids to signal it", errorWith("EPERM"), "hidden"],
    ["knows it", () => undefined, "hidden"],
  ] as const)("a pid without a directory, when the kernel %s", (_, signal, seen) => {
    expect(createProcfsProcesses({ procRoot: emptyProc(), signal }).look(4711)).toEqual({ seen });
  });

  test("a /proc of another namespace is not asked about our numbers", () => {
    const procRoot = emptyProc();
    mkdirSync(join(procRoot, "4711"));
    writeFileSync(join(procRoot, "4711/stat"), `4711 (a) S ${"1 ".repeat(30)}`);
    const signal = errorWith("ESRCH");
    expect(createProcfsProcesses({ procRoot, signal }).look(4711).seen).toBe("running");
    const foreign = temporaryDirectory();
    symlinkSync("1", join(foreign, "self"));
    symlinkSync(join(procRoot, "4711"), join(foreign, "4711"));
    expect(createProcfsProcesses({ procRoot: foreign, signal }).look(4711).seen).toBe("nothing");
  });

  test.skipIf(skipUnless(canMount, "root, to mount a /proc with hidepid"))(
    "a process hidden from this user is unknown, and a dead one still gone",
    async () => {
      const procRoot = temporaryDirectory();
      const mount = `mount -t proc -o hidepid=2 proc ${procRoot}`;
      const asNobody = `setpriv --reuid ${NOBODY.uid} --regid ${NOBODY.gid} --clear-groups "$@"`;
      const script = `exec unshare -m sh -c 'chmod 755 ${procRoot} && ${mount} && exec ${asNobody}' sh "$@"`;
      const child = startSleeper();
      const ref = found(child.pid);
      const verdict = () => callWithin(script, ["probe", JSON.stringify(ref), procRoot]);
      expect(verdict()).toMatchObject({ verdict: "unknown" });
      child.kill("SIGKILL");
      await once(child, "exit");
      expect(verdict()).toMatchObject({ verdict: "gone" });
    },
  );

  test.skipIf(skipUnless(canMount, "root, to make a pid namespace"))(
    "a process in a pid namespace of its own, under the outer /proc, is not taken for one of ours",
    () => {
      const inner = callWithin('exec unshare -p -f "$@"', ["probe", "self"]) as { self: ProcessRef; verdict: string };
      expect(inner.self.pidNamespace).not.toBe(probe.self().pidNamespace);
      expect(inner.verdict).toBe("unknown");
      expect(probe.verdict(inner.self)).toBe("unknown");
    },
  );

  test.skipIf(skipUnless(isRoot, "root, to start a process of another user"))(
    "another user's process that /proc shows is alive",
    async () => {
      const ref = JSON.stringify(found(startSleeper().pid));
      expect(await call(["probe", ref], { ...NOBODY })).toMatchObject({ verdict: "alive" });
    },
  );
});

const line = (name: string, state: string, threads = 1) =>
  `42 (${name}) ${state} 1 42 42 0 -1 4194560 99 0 0 0 0 0 0 0 20 0 ${threads} 0 98765 1 2 3`;

describe("a line of /proc/<pid>/stat", () => {
  test.each([
    ["an ordinary one", line("sleep", "S"), { seen: "running", startTicks: "98765" }],
    ["with blanks and parentheses in the name", line("a) Z 1 (b", "R"), { seen: "running", startTicks: "98765" }],
    ["of a zombie", line("sleep", "Z"), { seen: "nothing" }],
    ["of a dead one", line("sleep", "X"), { seen: "nothing" }],
    ["whose first thread ended while others work", line("app", "Z", 3), { seen: "running", startTicks: "98765" }],
    ["cut short", "42 (sleep) S 1", { seen: "hidden" }],
    ["that is empty", "", { seen: "hidden" }],
  ])("%s", (_, stat, sighting) => {
    expect(sightingOf(stat)).toEqual(sighting);
  });
});
