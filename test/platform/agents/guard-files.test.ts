/** The guard's files: switches, passes and marks. A turn must not end without its mark. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { Fault } from "../../../src/core/fault.ts";
import { asAgentId, asRoomId } from "../../../src/core/ids.ts";
import { after, type Instant } from "../../../src/core/time.ts";
import type { Deps } from "../../../src/engine/deps.ts";
import type { GuardFiles } from "../../../src/engine/ports/guard-files.ts";
import { createGuardFiles } from "../../../src/platform/agents/guard-files.ts";
import { sha256Hex } from "../../../src/platform/files/digest.ts";
import { canMount, skipUnless } from "../../support/privileges.ts";
import { accepted, actor, type Ground, groundAt, openWorld } from "../../support/sqlite-world.ts";
import { quickDirectory } from "../../support/temporary-directory.ts";
import { systemCalls } from "../call-in-child.ts";

const { callWithin, callAtOnce } = systemCalls();

const ROOM = asRoomId("room");
const SESSION = "session-1";
const MINUTE_MS = 60_000;
const HANDOFF = { status: "done", nextAction: "go on" };

let dataDir: string;
let guard: GuardFiles;
let now: Instant;

beforeEach(() => {
  dataDir = quickDirectory();
  now = { epoch: "boot-1", ms: 100 * MINUTE_MS };
  guard = createGuardFiles(dataDir, { now: () => ({ instant: now, suspendedMs: 0, wallMs: 0 }) });
});

/** A turn that Ann holds, and the word for it in the names of files. */
const heldTurn = (turnId: number, holder = "claude:ann") => ({ roomId: ROOM, turnId, holder: asAgentId(holder) });
const word = (turnId: number, holder = "claude:ann") => `${turnId}.${sha256Hex(holder).slice(0, 16)}`;
const at = (name: string) => join(dataDir, "guard", name);
const marks = () => readdirSync(at("over"));
const passOf = () => readFileSync(at(`pass/${SESSION}`), "utf8");
const switchOn = () => guard.switchOn({ roomId: ROOM, path: "/tree" });
const givePass = (more: { readonly readAt?: Instant; readonly until?: Instant } = {}) =>
  guard.givePass(SESSION, { ...heldTurn(7), readAt: now, until: after(now, 10 * MINUTE_MS), ...more });

/** The code of the fault that the call throws. */
function faultOf(call: () => void): string {
  try {
    call();
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
  return "none";
}

describe("a switch", () => {
  test("is on for as long as the room is guarded", () => {
    expect(guard.guardedRooms()).toEqual([]);
    switchOn();
    switchOn();
    expect(guard.guardedRooms()).toEqual([{ roomId: ROOM, path: "/tree" }]);
    guard.switchOff(ROOM);
    guard.switchOff(ROOM);
    expect(guard.guardedRooms()).toEqual([]);
  });

  test("follows a room whose directory has another path now", () => {
    switchOn();
    guard.switchOn({ roomId: ROOM, path: "/moved" });
    expect(guard.guardedRooms()).toEqual([{ roomId: ROOM, path: "/moved" }]);
  });

  test("makes directories that are its user's alone, that of the marks among them", () => {
    switchOn();
    for (const name of ["", "on", "pass", "over"]) expect(statSync(at(name)).mode & 0o777).toBe(0o700);
    expect(statSync(at(`on/${ROOM}`)).mode & 0o777).toBe(0o600);
  });

  test("that is a planted link names no room, and is replaced and not followed", () => {
    switchOn();
    const target = join(dataDir, "target");
    writeFileSync(target, "/elsewhere");
    rmSync(at(`on/${ROOM}`));
    symlinkSync(target, at(`on/${ROOM}`));
    expect(guard.guardedRooms()).toEqual([]);
    switchOn();
    expect(readFileSync(target, "utf8")).toBe("/elsewhere");
    expect(guard.guardedRooms()).toEqual([{ roomId: ROOM, path: "/tree" }]);
  });

  test("that a killed process left half done is no room", () => {
    switchOn();
    writeFileSync(at(`on/${ROOM}.tt-new-${"0a".repeat(12)}b`), "/half");
    expect(guard.guardedRooms()).toEqual([{ roomId: ROOM, path: "/tree" }]);
  });

  test("that cannot be written is a typed fault", () => {
    writeFileSync(join(dataDir, "guard"), "");
    expect(faultOf(switchOn)).toBe("store_unsafe");
  });
});

describe("a pass", () => {
  test("names room, turn, the last second and the boot", () => {
    switchOn();
    givePass();
    expect(passOf()).toBe(`room ${word(7)} 6600 boot-1\n`);
  });

  test("ends half an hour after the store was read, however long the lease is and however late it is written", () => {
    switchOn();
    const readAt = now;
    now = after(now, 90 * MINUTE_MS);
    givePass({ readAt, until: after(readAt, 1000 * MINUTE_MS) });
    expect(passOf()).toBe(`room ${word(7)} ${(readAt.ms + 30 * MINUTE_MS) / 1000} boot-1\n`);
  });

  test("is not given for a lease of another boot, nor to a session with an odd id", () => {
    switchOn();
    givePass({ until: { epoch: "boot-0", ms: now.ms + MINUTE_MS } });
    for (const sessionId of ["../on/x", "", "a b", "x".repeat(5000)])
      guard.givePass(sessionId, { ...heldTurn(7), readAt: now, until: after(now, MINUTE_MS) });
    expect(readdirSync(at("pass"))).toEqual([]);
    expect(guard.guardedRooms()).toHaveLength(1);
  });

  test("replaces a planted link and does not follow it", () => {
    switchOn();
    const target = join(dataDir, "target");
    writeFileSync(target, "precious");
    symlinkSync(target, at(`pass/${SESSION}`));
    givePass();
    expect(readFileSync(target, "utf8")).toBe("precious");
    expect(lstatSync(at(`pass/${SESSION}`)).isFile()).toBe(true);
  });

  test("that cannot be written is no fault", () => {
    givePass();
    expect(existsSync(at("pass"))).toBe(false);
  });
});

describe("a mark", () => {
  test("is made for a guarded room, even if its switch is not there yet", () => {
    guard.markOver(heldTurn(7), true);
    expect(marks()).toEqual([`room.${word(7)}`]);
  });

  test("is made for every room once one was guarded, and for none before", () => {
    guard.markOver(heldTurn(7), false);
    expect(existsSync(at(""))).toBe(false);
    switchOn();
    guard.switchOff(ROOM);
    guard.markOver(heldTurn(8), false);
    expect(marks()).toEqual([`room.${word(8)}`]);
  });

  test("goes when a thousand turns and more than an hour have passed, and stays before that", () => {
    for (const turnId of [1, 100, 101]) guard.markOver(heldTurn(turnId), true);
    guard.markOver({ ...heldTurn(1), roomId: asRoomId("other") }, true);
    now = after(now, 59 * MINUTE_MS);
    guard.markOver(heldTurn(1100), true);
    expect(marks()).toHaveLength(5);
    now = after(now, 2 * MINUTE_MS);
    guard.markOver(heldTurn(1101), true);
    guard.markOver(heldTurn(1100), true);
    expect(marks()).toEqual([`other.${word(1)}`, ...[101, 1100, 1101].map((turnId) => `room.${word(turnId)}`)]);
  });

  test("of another boot goes at once, because no pass of that boot is valid", () => {
    guard.markOver(heldTurn(1), true);
    now = { epoch: "boot-2", ms: MINUTE_MS };
    guard.markOver(heldTurn(1100), true);
    expect(marks()).toEqual([`room.${word(1100)}`]);
  });

  test("ends the passes of one name only: the turn may go on under another", () => {
    switchOn();
    guard.markOver(heldTurn(7, "claude:former"), true);
    givePass();
    const [, named = ""] = passOf().split(" ");
    expect(marks()).not.toContain(`room.${named}`);
    guard.markOver(heldTurn(7), true);
    expect(marks()).toContain(`room.${named}`);
  });

  test.each([true, false])(
    "that is a planted link is a typed fault, and the link is not followed (guarded: %s)",
    (is) => {
      switchOn();
      const target = join(dataDir, "target");
      writeFileSync(target, "precious");
      symlinkSync(target, at(`over/room.${word(7)}`));
      symlinkSync(join(dataDir, "nowhere"), at(`over/room.${word(8)}`));
      expect(faultOf(() => guard.markOver(heldTurn(7), is))).toBe("store_unsafe");
      expect(faultOf(() => guard.markOver(heldTurn(8), is))).toBe("store_unsafe");
      expect(readFileSync(target, "utf8")).toBe("precious");
      expect(existsSync(join(dataDir, "nowhere"))).toBe(false);
    },
  );

  const FULL = 'mount -t tmpfs -o size=64k,nr_inodes=8,mode=0700 tmpfs "$0" && : >"$0/a" && : >"$0/b" && : >"$0/c"';

  test.skipIf(skipUnless(canMount, "root, to fill a disk"))("on a full disk is store_full", () => {
    const line = `exec unshare -m sh -c '${FULL} && exec "$@"' "${dataDir}" "$@"`;
    expect(callWithin(line, ["guard", dataDir, "mark"])).toMatchObject({ fault: "store_full" });
  });
});

describe("a move without its mark", () => {
  let ground: Ground;
  let deps: Deps;
  let roomId: string;
  let token: { readonly leaseId: string; readonly expectedTurnId: number };

  beforeEach(async () => {
    ground = groundAt(dataDir);
    deps = await openWorld(ground);
    const ann = actor(deps, "claude:ann");
    ({ roomId } = accepted(await ann.joinPath({ contextPath: ground.tree })));
    const person = actor(deps, "human:me", { isPerson: true });
    accepted(await person.changePolicy({ roomId, changes: { guard: "deny" } }));
    const turn = accepted(await ann.waitForTurn({ roomId, maxWaitMs: 0 }));
    if (turn.status !== "your_turn") throw new Error(turn.status);
    token = { leaseId: turn.leaseId, expectedTurnId: turn.turnId };
    rmSync(join(ground.dataDir, "guard/over"), { recursive: true });
    writeFileSync(join(ground.dataDir, "guard/over"), "", { mode: 0o600 });
  });

  const owner = async () => {
    const { room } = accepted(await actor(deps, "claude:ann").getRoomState({ roomId }));
    return [room.owner, room.turnId];
  };
  const repair = () => rmSync(join(ground.dataDir, "guard/over"));

  test("fails as a typed fault, and the holder keeps the stick until the mark can be made", async () => {
    const ann = actor(deps, "claude:ann");
    const release = () => ann.releaseStick({ roomId, ...token, handoff: HANDOFF });
    await expect(release()).rejects.toMatchObject({ code: "store_unsafe" });
    expect(await owner()).toEqual(["claude:ann", 1]);
    repair();
    accepted(await release());
    expect(await owner()).toEqual([null, 1]);
    expect(readdirSync(join(ground.dataDir, "guard/over"))).toEqual([`${roomId}.${word(1)}`]);
    await deps.store.close();
  });

  test.each(["takeover", "kick", "close", "leave"] as const)("does not happen by %s either", async (how) => {
    const person = actor(deps, "human:me", { isPerson: true });
    const ann = actor(deps, "claude:ann");
    const moves = {
      takeover: () => person.takeoverStick({ roomId, expectedTurnId: 1, reason: "now", operatorRequested: true }),
      kick: () => person.kickMember({ roomId, targetAgentId: "claude:ann", force: true }),
      close: () => person.closeRoom({ roomId, operatorRequested: true }),
      leave: () => ann.leaveRoom({ roomId }),
    };
    await expect(moves[how]()).rejects.toMatchObject({ code: "store_unsafe" });
    expect(await owner()).toEqual(["claude:ann", 1]);
    repair();
    mkdirSync(join(ground.dataDir, "guard/over"), { mode: 0o700 });
    accepted(await moves[how]());
    expect((await owner())[0]).not.toBe("claude:ann");
    expect(readdirSync(join(ground.dataDir, "guard/over"))).toEqual([`${roomId}.${word(1)}`]);
    await deps.store.close();
  });
});

test("eight processes that switch at once disturb no one: each switch and each mark is there", async () => {
  const rooms = (await callAtOnce(8, ["guard", dataDir, "switch"])) as string[];
  expect(guard.guardedRooms().map(({ roomId }) => roomId)).toEqual(rooms.toSorted());
  for (const room of rooms) expect(readFileSync(at(`on/${room}`), "utf8")).toBe(`/${room}`);
  expect(marks()).toHaveLength(8 * 50);
  expect(readdirSync(at("on"))).toHaveLength(8);
});
