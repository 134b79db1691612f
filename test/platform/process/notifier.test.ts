/** Who shows a notice, and what is left if nobody can. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { asRoomId } from "../../../src/core/ids.ts";
import type { Notice } from "../../../src/peers/rules/notices.ts";
import { showNotice, tryNotifier } from "../../../src/platform/process/notifier.ts";
import type { NotifyChoice } from "../../../src/platform/settings/config.ts";
import { makeRepository } from "../../support/git-repository.ts";
import { canMount, skipUnless } from "../../support/privileges.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { systemCalls } from "../call-in-child.ts";

const { callWithin } = systemCalls();

const DESKTOP = { kind: "desktop" } as const;
const PATIENCE = { timeout: 60_000, interval: 20 };

class Machine {
  readonly root = temporaryDirectory();
  readonly dataDir = join(this.root, "data");
  readonly shown = join(this.root, "shown");
  readonly tree = makeRepository(join(this.root, "tree"));

  constructor() {
    mkdirSync(this.dataDir, { mode: 0o700 });
  }

  /** A program that records where it lies, and its PATH. */
  program(directory: string, name: string): string {
    const path = join(this.root, directory, name);
    mkdirSync(join(this.root, directory), { recursive: true });
    writeFileSync(
      path,
      `#!/bin/sh\nprintf '%s\\n' "$0" "$PATH" > '${this.shown}.new'; /bin/mv '${this.shown}.new' '${this.shown}'\n`,
    );
    chmodSync(path, 0o755);
    return path;
  }

  show(directories: readonly string[], onceFor: string | null = null, choice: NotifyChoice = DESKTOP): string | null {
    const path = directories.map((name) => join(this.root, name)).join(":");
    const notifier = { dataDir: this.dataDir, env: { PATH: path }, choice };
    const roomId = asRoomId("room-1");
    const notice: Notice = { kind: "holder_silent", roomId, path: this.tree, agent: "a", text: null, onceFor };
    return showNotice(notifier, notice, Date.now());
  }

  async untilShown(): Promise<readonly string[]> {
    await vi.waitFor(() => expect(existsSync(this.shown)).toBe(true), PATIENCE);
    return readFileSync(this.shown, "utf8").split("\n");
  }
}

function tried(machine: Machine, lines: string): Promise<string | null> {
  const path = machine.program("bin", "mine");
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  return tryNotifier({ env: {}, choice: { kind: "command", words: [path] } });
}

describe("the trial of a command", () => {
  test("lets it say what it likes, and finish", async () => {
    const machine = new Machine();
    const busy = "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done";
    const work = `echo noise; ${busy}; read -r event; echo "$event" > '${machine.shown}'`;
    expect(await tried(machine, `${work}; echo more noise`)).toBeNull();
    expect(readFileSync(machine.shown, "utf8")).toContain('"kind":"test"');
  });

  test("judges by its exit code, also if it has said something or left a program behind", async () => {
    const machine = new Machine();
    expect(await tried(machine, "echo noise; echo no bus >&2; exit 3")).toMatch(/ ended with 3: no bus$/);
    const pid = join(machine.root, "pid");
    onTestFinished(() => void process.kill(Number(readFileSync(pid, "utf8")), "SIGKILL"));
    expect(await tried(machine, `/bin/sleep 600 & echo $! > '${pid}'; exit 0`)).toBeNull();
  });
});

describe("a notice", () => {
  test.each(["notify-send", "osascript"])("is never shown by a %s in the working tree of its room", async (name) => {
    const machine = new Machine();
    machine.program("tree/bin", name);
    expect(machine.show(["tree/bin"])).toMatch(/^neither /);
    const outside = machine.program("bin", name);
    expect(machine.show(["tree/bin", "bin"])).toBeNull();
    expect(await machine.untilShown()).toEqual([outside, `${machine.root}/bin`, ""]);
  });

  test("is left to others by a process that has no program to show it", async () => {
    const machine = new Machine();
    const outside = machine.program("bin", "notify-send");
    expect(machine.show([], "turn 1")).toMatch(/^neither /);
    expect(machine.show(["bin"], "turn 1")).toBeNull();
    expect((await machine.untilShown())[0]).toBe(outside);
  });

  test.skipIf(skipUnless(canMount, "root, to fill a disk"))("is left to others on a full disk", () => {
    const { dataDir } = new Machine();
    const full = 'mount -t tmpfs -o size=4k,mode=0700 tmpfs "$0" && head -c 4096 /dev/zero >"$0/full"';
    const line = `exec unshare -m sh -c '${full} && exec "$@"' "${dataDir}" "$@"`;
    const faults = ["store_full", "store_full", "store_full"];
    expect(callWithin(line, ["notices", dataDir, "3"])).toEqual({ faults, left: [], open: [] });
  });

  test("tells how many were left out, and only that", async () => {
    const machine = new Machine();
    machine.show([]);
    writeFileSync(join(machine.dataDir, "notices", "left-out"), "...");
    const copy = machine.program("bin", "copy");
    writeFileSync(
      copy,
      `#!/bin/sh\n/bin/cat > '${machine.shown}.new'; /bin/mv '${machine.shown}.new' '${machine.shown}'\n`,
    );
    expect(machine.show([], null, { kind: "command", words: [copy] })).toBeNull();
    const [line = "", ...rest] = await machine.untilShown();
    expect(JSON.parse(line)).toMatchObject({
      left_out: 3,
      body: expect.stringMatching(/\(3 more before this one left out\)$/),
    });
    expect(rest).toEqual([""]);
  });
});
