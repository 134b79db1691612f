/**
 * A scripted agent of the demo: a real process with its own identity and its own connection to the store.
 * It reads one instruction per line, carries it out, and prints one line of JSON with the answer.
 */
import { isRefusal } from "../../../core/refusal.ts";
import type { TalkingStick } from "../../library/talking-stick.ts";

export type Instruction =
  | { readonly do: "join"; readonly path: string }
  | { readonly do: "wait"; readonly maxWaitMs: number }
  | { readonly do: "release"; readonly handoff: unknown }
  | { readonly do: "takeover"; readonly turnId: number; readonly reason: string }
  | { readonly do: "note"; readonly body: string }
  | { readonly do: "ask"; readonly to: string; readonly body: string }
  /** Takes the next message and answers it. */
  | { readonly do: "answer"; readonly body: string }
  | { readonly do: "events" };

export interface Reply {
  readonly answer: unknown;
  /** On a clock that all processes of the machine share. */
  readonly atMs: number;
}

export interface AgentPorts {
  readonly instructions: AsyncIterable<string>;
  readonly monotonicMs: () => number;
  readonly print: (line: string) => void;
}

export async function runDemoAgent(stick: TalkingStick, ports: AgentPorts): Promise<void> {
  const turn = { roomId: "", leaseId: "", expectedTurnId: 0 };
  for await (const line of ports.instructions) {
    const instruction = JSON.parse(line) as Instruction;
    const answer = await carryOut(stick, turn, instruction);
    if ("roomId" in answer && instruction.do === "join") turn.roomId = answer.roomId;
    if ("leaseId" in answer) Object.assign(turn, { leaseId: answer.leaseId, expectedTurnId: answer.turnId });
    const reply: Reply = { answer, atMs: ports.monotonicMs() };
    ports.print(JSON.stringify(reply));
  }
}

function carryOut(
  stick: TalkingStick,
  turn: { readonly roomId: string; readonly leaseId: string; readonly expectedTurnId: number },
  instruction: Instruction,
) {
  const { roomId } = turn;
  switch (instruction.do) {
    case "join":
      return stick.joinPath({ contextPath: instruction.path });
    case "wait":
      return stick.waitForTurn({ roomId, maxWaitMs: instruction.maxWaitMs });
    case "release":
      return stick.releaseStick({ ...turn, handoff: instruction.handoff });
    case "takeover":
      return stick.takeoverStick({ roomId, expectedTurnId: instruction.turnId, reason: instruction.reason });
    case "note":
      return stick.addNote({ roomId, body: instruction.body });
    case "ask":
      return ask(stick, roomId, instruction);
    case "answer":
      return answerNext(stick, roomId, instruction.body);
    case "events":
      return stick.getRoomEvents({ roomId });
  }
}

async function ask(stick: TalkingStick, roomId: string, { to, body }: { readonly to: string; readonly body: string }) {
  const asked = await stick.askPeer({ roomId, to, body });
  if (isRefusal(asked)) return asked;
  await asked.confirm();
  return asked.answer;
}

async function answerNext(stick: TalkingStick, roomId: string, body: string) {
  const taken = await stick.receiveMessages({ limit: 1 });
  if (isRefusal(taken)) return taken;
  await taken.confirm();
  const [question] = taken.answer.messages;
  if (!question) throw new Error("nobody asked");
  const sent = await stick.replyToMessage({ roomId, messageId: question.messageId, body });
  return isRefusal(sent) ? sent : { question };
}
