/**
 * Messages to a session with hooks and an inbox, in each state that it can be in, with and without a request to wake
 * it.
 */
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import type { TalkingStick } from "../../../src/surfaces/library/talking-stick.ts";
import type { SeededRandom } from "../../support/random.ts";
import { accepted } from "../../support/sqlite-world.ts";
import type { ClaudeSession } from "./claude-session.ts";

/** A wake that is called fired is followed by a sign of life within this. */
const SIGN_MS = 1500;

/** Signs of tools are dated in steps. A real model takes longer to answer. */
const SIGN_STEPS_MS = 50;

export interface SessionPlace {
  readonly ann: TalkingStick;
  readonly roomId: string;
  readonly tree: string;
  readonly session: ClaudeSession;
  readonly random: SeededRandom;
}

interface Told {
  readonly messageId: string;
  readonly willBeSeen: string;
  readonly wakeStatus?: string | undefined;
}

type Scene = (place: SessionPlace) => Promise<Told>;

/** It is at work: the next hook that can show the message shows it, at the latest the one at the end of the turn. */
const atWork: Scene = async (place) => {
  const { session, random } = place;
  if (session.status === "idle") await session.prompt();
  session.takePrinted();
  const told = await send(place, random.chance(0.5));
  expect(told.willBeSeen).toBe("next_tool_call");
  expect([undefined, "skipped_busy"]).toContain(told.wakeStatus);
  const suspended = random.chance(0.3);
  if (suspended) session.signal("SIGSTOP");
  if (suspended) session.signal("SIGCONT");
  if (random.chance(0.5)) await session.useTool();
  else await session.stop();
  expect(session.takePrinted()).toContain(told.messageId);
  return told;
};

/** Its user presses Esc after the send, which nobody could know: the message comes with the next prompt. */
const interruptedAfter: Scene = async (place) => {
  const { session } = place;
  await session.prompt();
  const told = await send(place, false);
  expect(told.willBeSeen).toBe("next_tool_call");
  session.escape();
  return shownAtPrompt(place, told);
};

/** Its user has pressed Esc before: it is not at work, whatever its hooks said last. */
const interruptedBefore: Scene = async (place) => {
  const { session } = place;
  await session.prompt();
  session.escape();
  const told = await send(place, false);
  expect(told.willBeSeen).toBe("unknown");
  return shownAtPrompt(place, told);
};

const asleep: Scene = async (place) => {
  const told = await send(place, false);
  expect(told.willBeSeen).toBe("unknown");
  return shownAtPrompt(place, told);
};

/** The wake begins a turn, and its prompt shows the message. */
const woken: Scene = async (place) => {
  const { session, ann } = place;
  session.takePrinted();
  const told = await send(place, true);
  await session.woken();
  expect(told).toMatchObject({ willBeSeen: "on_wake", wakeStatus: "fired" });
  expect(session.takePrinted()).toContain(told.messageId);
  const { deliveries, createdAt } = accepted(await ann.messageStatus({ messageId: told.messageId }));
  const [shown] = deliveries[0]?.attempts ?? [];
  expect(Date.parse(shown?.at ?? "") - Date.parse(createdAt)).toBeLessThanOrEqual(SIGN_MS);
  return told;
};

/** The hook at the end of its turn has looked for mail already, but its file still says that it is at work. */
const wokenAtOnce: Scene = async (place) => {
  await place.session.prompt();
  await place.session.stopSlowly();
  return woken(place);
};

/** The same, but its turn goes on after all, as its next tool shows. */
const goesOn: Scene = async (place) => {
  const { session } = place;
  await session.prompt();
  await session.stopAndGoOn();
  await pause(SIGN_STEPS_MS);
  await session.useTool();
  return atWork(place);
};

/** The wake gets lost: nobody is told that it was fired, and the next one wakes although this mail is unread. */
const lostWake: Scene = async (place) => {
  const { session, ann } = place;
  session.isDeaf = true;
  const told = await send(place, true);
  session.isDeaf = false;
  expect(told).toMatchObject({ willBeSeen: "unknown", wakeStatus: "fired_unconfirmed" });
  const wakeOf = async () => accepted(await ann.messageStatus({ messageId: told.messageId })).deliveries[0]?.wakeStatus;
  expect(await wakeOf()).toBe("fired_unconfirmed");
  return shownAtPrompt(place, told);
};

/** It has ended, and is resumed later. */
const ended: Scene = async (place) => {
  const { session } = place;
  await session.leave();
  const told = await send(place, place.random.chance(0.5));
  expect(told.willBeSeen).toBe("when_it_returns");
  expect([undefined, "skipped_no_target"]).toContain(told.wakeStatus);
  await session.resume();
  return shownAtPrompt(place, told);
};

/** Its process was killed in the middle of a turn, and no hook told of it. */
const killed: Scene = async (place) => {
  const { session } = place;
  await session.prompt();
  await session.kill();
  const told = await send(place, place.random.chance(0.5), { isGone: true });
  expect(["unknown", "when_it_returns"]).toContain(told.willBeSeen);
  expect([undefined, "skipped_no_target"]).toContain(told.wakeStatus);
  await session.resume();
  return shownAtPrompt(place, told);
};

/** How often each comes. A wake that gets lost is waited for until its time is over, so it comes rarely. */
const SCENES: readonly (readonly [Scene, number])[] = [
  [atWork, 30],
  [interruptedAfter, 10],
  [interruptedBefore, 10],
  [asleep, 10],
  [woken, 20],
  [wokenAtOnce, 5],
  [goesOn, 5],
  [lostWake, 3],
  [ended, 6],
  [killed, 6],
];

/** Each once, and then as it comes. */
export async function sendToSession(place: SessionPlace, index: number): Promise<void> {
  const [scene] = SCENES[index] ?? [chosen(place.random)];
  const { session, ann } = place;
  const { messageId } = await scene(place);
  if (session.status === "busy") await session.stop();
  const { deliveries } = accepted(await ann.messageStatus({ messageId }));
  expect(deliveries, "it was shown, and the model went on").toMatchObject([{ state: "acked" }]);
}

function chosen(random: SeededRandom): Scene {
  let at = random.next() * SCENES.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [scene, weight] of SCENES) {
    at -= weight;
    if (at < 0) return scene;
  }
  return atWork;
}

async function send(
  { ann, roomId, tree, session }: SessionPlace,
  wakes: boolean,
  { isGone = false } = {},
): Promise<Told> {
  const { sessions } = accepted(await ann.listProjectSessions({ contextPath: tree, all: true }));
  const seen = sessions.find(({ agentId }) => agentId === session.agentId);
  if (!isGone) expect(seen?.activity ?? "idle", "what others see of it").toBe(session.status);
  const message = { roomId, to: session.agentId, body: "hello", ...(wakes && ({ wake: "auto" } as const)) };
  const { messageId, deliveries } = accepted(await ann.sendMessage(message));
  const [receipt] = deliveries;
  return { messageId, willBeSeen: receipt?.willBeSeen ?? "", wakeStatus: receipt?.wakeStatus };
}

async function shownAtPrompt({ session }: SessionPlace, told: Told): Promise<Told> {
  session.takePrinted();
  await session.prompt();
  expect(session.takePrinted()).toContain(told.messageId);
  return told;
}
