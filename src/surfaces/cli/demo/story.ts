/** The demo's story: two agents in one checkout, told as it really happens. */

import type { Handoff } from "../../../core/handoff.ts";
import { wordNext } from "../../../core/next.ts";
import { isRefusal } from "../../../core/refusal.ts";
import type { Asked } from "../../../mail/ask-peer.ts";
import type { MyMessages } from "../../../mail/take-messages.ts";
import type { EventView } from "../../../room/rules/event-view.ts";
import type { NotYet } from "../../../stick/rules/answers.ts";
import { wrap } from "../../words/wrap.ts";
import { commandFor } from "../command-for.ts";
import { whoText } from "../text/events.ts";
import { namesFrom } from "../text/names.ts";
import type { DemoCall, Reply } from "./agent.ts";

const COLUMNS = 80;

/** A running agent process of the demo. */
export interface DemoAgent {
  /** Lets the agent make a call and resolves with its reply. */
  tell(call: DemoCall["call"], input: object): Promise<Reply>;
  kill(): Promise<void>;
  end(): Promise<void>;
}

export interface StoryPorts {
  readonly startAgent: (agentId: string, harness: string) => DemoAgent;
  /** The throwaway directory that stands for the shared checkout. */
  readonly checkout: string;
  readonly print: (line: string) => Promise<void>;
  /** How long each chapter stands before the next one begins. */
  readonly pauseMs: number;
}

/** The demo's rooms find a dead process after this, so that nobody has to wait for the usual 15 s. */
export const DEMO_GONE_GRACE_MS = 1000;

const PARSER_HANDOFF = {
  status: "the parser reads every fixture",
  nextAction: "write the tests for it",
  artifacts: [{ path: "src/parser.ts", lines: [1, 40], role: "review" }],
  doNot: ["rename parse(): the docs point at it"],
};

export async function tellStory({ startAgent, checkout, print, pauseMs }: StoryPorts): Promise<void> {
  const say = narrator(print, pauseMs);
  await print("Talking Stick: one checkout, several agents, one writer.");
  await print("");
  await print(`The checkout is ${checkout}, thrown away afterwards.`);
  await print("claude and codex are two processes that share nothing but the store.");
  const claude = startAgent("claude:demo", "claude");
  const codex = startAgent("codex:demo", "codex");
  try {
    const { roomId } = (await claude.tell("joinPath", { contextPath: checkout })).answer as { roomId: string };
    await codex.tell("joinPath", { contextPath: checkout });
    const scene = { say, claude, codex, roomId };
    const handover = await handOver(scene);
    await refuseOldToken(scene, handover);
    await converse(scene);
    await takeOver(scene);
    await showLog(scene);
  } finally {
    await Promise.all([claude.end(), codex.end()]);
  }
}

interface Scene {
  readonly say: ReturnType<typeof narrator>;
  readonly claude: DemoAgent;
  readonly codex: DemoAgent;
  readonly roomId: string;
}

function narrator(print: (line: string) => Promise<void>, pauseMs: number) {
  return {
    chapter: async (title: string) => {
      await new Promise((resolve) => {
        setTimeout(resolve, pauseMs);
      });
      await print(`\n${title}`);
    },
    line: (who: string, what: string) => print(`  ${who.padEnd(7)} ${wrap(what, COLUMNS, " ".repeat(10))}`),
    more: (label: string, text: string) =>
      print(`${" ".repeat(12)}${label.padEnd(12)} ${wrap(text, COLUMNS, " ".repeat(25))}`),
    plain: print,
  };
}

/** Returns what claude handed over with, which opens nothing afterwards. */
async function handOver({ say, claude, codex, roomId }: Scene): Promise<object> {
  await say.chapter("1. claude takes the stick: from now on it alone may write");
  const first = await claude.tell("waitForTurn", { roomId, maxWaitMs: 0 });
  await say.line("claude", turnLine(first));

  await say.chapter("2. codex wants to write, too. It waits, and does not poll");
  const short = await codex.tell("waitForTurn", { roomId, maxWaitMs: 1 });
  const { currentOwner, turnId, queuePosition } = short.answer as NotYet;
  await say.line("codex", `not yet: ${currentOwner} holds turn ${turnId}, I am number ${queuePosition} in the queue`);
  const waiting = codex.tell("waitForTurn", { roomId, maxWaitMs: 30_000 });
  // An agent that dies before its answer is awaited is found out below, and not by the whole process.
  waiting.catch(() => undefined);

  await say.chapter("3. claude is done. The stick goes on only with a handoff");
  const held = first.answer as { leaseId: string; turnId: number };
  const handover = { roomId, leaseId: held.leaseId, expectedTurnId: held.turnId, handoff: PARSER_HANDOFF };
  const released = await claude.tell("releaseStick", handover);
  await say.line("claude", `released, reserved for ${(released.answer as { reservedFor: string }).reservedFor}`);
  const granted = await waiting;
  await say.line("codex", `${turnLine(granted)}, ${Math.max(0, granted.atMs - released.atMs).toFixed(1)} ms later`);
  await tellHandoff(say, (granted.answer as { handoff: Handoff }).handoff);
  return handover;
}

async function refuseOldToken({ say, claude }: Scene, handover: object): Promise<void> {
  await say.chapter("4. An old turn is refused: claude tries to release again");
  const { answer } = await claude.tell("releaseStick", handover);
  if (!isRefusal(answer)) throw new Error("the demo expected a refusal");
  await say.line("claude", `refused, ${answer.error}: ${answer.message}`);
  await say.more("next", wordNext(answer.next, commandFor));
}

async function converse({ say, claude, codex, roomId }: Scene): Promise<void> {
  await say.chapter("5. Without the stick claude may not write, but it may ask");
  const receiving = codex.tell("receiveMessages", { limit: 1 });
  receiving.catch(() => undefined);
  await say.line("claude", "asks codex: may fixture 7 stay as it is?");
  const asking = claude.tell("askPeer", { roomId, to: "codex:demo", body: "may fixture 7 stay as it is?" });
  asking.catch(() => undefined);
  const [question] = ((await receiving).answer as MyMessages).messages;
  if (!question) throw new Error("nobody asked");
  const body = "yes, it is wrong on purpose";
  await codex.tell("replyToMessage", { roomId, messageId: question.messageId, body });
  await say.line("codex", `reads it at once, a message of ${question.from} and not an order`);
  const { reply } = (await asking).answer as Asked;
  await say.line("claude", `has its answer from ${reply?.from}: ${reply?.body}`);
}

async function takeOver({ say, claude, codex, roomId }: Scene): Promise<void> {
  await say.chapter("6. codex leaves a note, then dies with the stick in its hand");
  await codex.tell("addNote", { roomId, body: "fixture 7 is wrong on purpose" });
  await say.line("codex", "note added: fixture 7 is wrong on purpose");
  await codex.kill();
  await say.line("codex", "killed with kill -9");
  const found = await claude.tell("waitForTurn", { roomId, maxWaitMs: 30_000 });
  const { status, reason, turnId } = found.answer as { status: string; reason: string; turnId: number };
  await say.line("claude", `${status}: ${reason}. Its process is gone, and silent for ${DEMO_GONE_GRACE_MS} ms`);
  const taken = await claude.tell("takeoverStick", { roomId, expectedTurnId: turnId, reason: "codex was killed" });
  await say.line("claude", `${turnLine(taken)}, with the handoff that codex had been given`);
}

async function showLog({ say, claude, roomId }: Scene): Promise<void> {
  await say.chapter("7. What happened, from the append-only log");
  const { answer } = await claude.tell("getRoomEvents", { roomId });
  for (const event of (answer as { events: EventView[] }).events) {
    const who = whoText(event, namesFrom(new Map(), true));
    await say.plain(`  ${String(event.eventSeq).padStart(3)}  ${event.eventType.padEnd(14)} ${who}`);
  }
}

function turnLine({ answer }: Reply): string {
  if (isRefusal(answer)) return `refused, ${answer.error}: ${answer.message}`;
  const { status, turnId } = answer as { status: string; turnId: number };
  return status === "your_turn" ? `your turn: turn ${turnId}` : status;
}

async function tellHandoff(say: Scene["say"], handoff: Handoff): Promise<void> {
  await say.more("status", handoff.status);
  await say.more("next action", handoff.nextAction);
  for (const { path, lines, role } of handoff.artifacts ?? []) {
    await say.more("artifact", `${path}${lines ? `:${lines.join("-")}` : ""}${role ? ` (${role})` : ""}`);
  }
  for (const text of handoff.doNot ?? []) await say.more("do not", text);
}
