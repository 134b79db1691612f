/** What an agent does besides its turns, one thing after the other: it sends, asks, takes notes and looks. */
import { spawn } from "node:child_process";
import { nowUs } from "../../marks.ts";
import type { Call, Deed } from "../../scale/records.ts";
import { attempt, tell } from "./attempt.ts";
import type { Teammate } from "./teammate.ts";

/** How often in an hour of life. */
const DEEDS = { send: 40, look: 20, note: 10, ask: 6 } as const;
type Kind = keyof typeof DEEDS;
const KINDS = Object.keys(DEEDS) as Kind[];
const DEEDS_AN_HOUR = KINDS.reduce((sum, kind) => sum + DEEDS[kind], 0);
const HOUR_MS = 3_600_000;
/** An agent knows the others of its room best. */
const TO_A_MATE = 0.7;
/** In real time, at any pace: at the highest ones this machine would do nothing but start commands. */
const COMMAND_EVERY_MS = 60_000;

export async function goAboutTheDay(me: Teammate): Promise<void> {
  while (!me.pace.isOver) {
    await me.pace.around(HOUR_MS / DEEDS_AN_HOUR);
    if (!me.pace.isOver) await perform(me, nextKind(me));
  }
}

function nextKind({ pace }: Teammate): Kind {
  let number = pace.random.between(1, DEEDS_AN_HOUR);
  for (const kind of KINDS) {
    number -= DEEDS[kind];
    if (number <= 0) return kind;
  }
  return "look";
}

async function perform(me: Teammate, kind: Kind): Promise<void> {
  const { stick, roomId } = me;
  switch (kind) {
    case "send": {
      const to = peerOf(me);
      await attempt(
        "send",
        () => stick.sendMessage({ roomId, to, body: textOf(me) }),
        ({ messageId }) => ({ messageId, to }),
      );
      return;
    }
    case "ask":
      return ask(me);
    case "note":
      await attempt("note", () => stick.addNote({ roomId, body: textOf(me) }));
      return;
    case "look":
      await attempt("look", () => stick.getRoomState({ roomId }));
  }
}

/** The answer is in its hands when it is told; only then is it confirmed. */
async function ask(me: Teammate): Promise<void> {
  const to = peerOf(me);
  const asked = await attempt(
    "ask",
    () => me.stick.askPeer({ roomId: me.roomId, to, body: "How far are you?", signal: me.resting }),
    ({ answer: { messageId, reply } }) => ({ messageId, to, shown: reply === null ? [] : [reply.messageId] }),
  );
  if (!("done" in asked)) return;
  const { answer, confirm } = asked.done;
  const confirmed = answer.reply === null ? [] : [answer.reply.messageId];
  await attempt("confirm", () => confirm(), undefined, { confirmed });
}

function peerOf({ mates, others, pace: { random } }: Teammate): string {
  const toMate = mates.length > 0 && (others.length === 0 || random.chance(TO_A_MATE));
  return random.pick(toMate ? mates : others);
}

function textOf({ pace: { random } }: Teammate): string {
  return "The parser reads the new format. ".repeat(random.between(1, 30));
}

/** People, hooks and scripts start the program itself. */
export async function useCommands(me: Teammate): Promise<void> {
  await me.pace.inRealTime(me.pace.random.between(0, COMMAND_EVERY_MS));
  for (let count = 0; !me.pace.isOver; count += 1) {
    if (count % 2 === 0) await command(me, "tt state", ["state", "--json"]);
    else await sendByCommand(me, peerOf(me));
    await me.pace.inRealTime(COMMAND_EVERY_MS);
  }
}

async function sendByCommand(me: Teammate, to: string): Promise<void> {
  const words = ["msg", "send", to, textOf(me), "--json"];
  await command(me, "tt msg send", words, (out) => ({ to, messageId: (JSON.parse(out) as Sent).message_id }));
}

interface Sent {
  readonly message_id: string;
}

async function command(
  me: Teammate,
  call: Call,
  words: readonly string[],
  facts: (out: string) => Partial<Deed> = () => ({}),
): Promise<void> {
  const begunUs = nowUs();
  const env = { ...process.env, TT_AGENT_ID: me.agentId, TT_AGENT_PID: String(process.pid) };
  const child = spawn(process.execPath, [me.program, ...words], { cwd: me.tree, env });
  const texts = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (texts.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (texts.err += text));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const answer = code === 0 ? facts(texts.out) : { fault: codeIn(texts.err) };
  tell({ call, begunUs, endedUs: nowUs(), ...answer });
}

/** What a command that failed says on standard error, as JSON. */
function codeIn(text: string): string {
  try {
    return (JSON.parse(text) as { error: string }).error;
  } catch {
    return text.trim() || "killed";
  }
}
