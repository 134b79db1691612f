/**
 * What an open console rings for, which is what notifications tell, too: a question to the reader, a holder that is lost
 * while others want the stick, and a write without the stick. Each rings once.
 */
import type { RoomEvent } from "../../core/event.ts";
import type { AgentId } from "../../core/ids.ts";
import { isByAgent, titleOf } from "../../peers/rules/notices.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import type { AskedQuestion } from "../picture/step-in.ts";
import { nameOf } from "../picture/why-words.ts";
import type { ConsoleTerminal } from "./console-terminal.ts";

/** Words by the name of their cause. A cause lasts for some time, so it is seen more than once. */
type Calls = ReadonlyMap<string, string>;

export class Ringer {
  readonly #terminal: Pick<ConsoleTerminal, "ring">;
  /** Null before the first look: what was there when the console opened is on its screen, and does not ring. */
  #known: Calls | null = null;

  constructor(terminal: Pick<ConsoleTerminal, "ring">) {
    this.#terminal = terminal;
  }

  ringFor(calls: Calls): void {
    const known = this.#known;
    this.#known = calls;
    if (known === null) return;
    for (const [cause, words] of calls) if (!known.has(cause)) this.#terminal.ring(words);
  }

  /** `events` come once. */
  ringForWrites(events: readonly RoomEvent[], nameFor: (agentId: AgentId) => string): void {
    for (const event of events) {
      if (event.type !== "foreign_write" || !isByAgent(event)) continue;
      const { fromAgentId } = event;
      this.#terminal.ring(titleOf("foreign_write", fromAgentId === null ? null : nameFor(fromAgentId)));
    }
  }
}

export function callsIn(picture: RoomPicture, asked: readonly AskedQuestion[]): Calls {
  const { roomId, now } = picture;
  const questions = asked.map(({ messageId, name }) => [messageId, `${name} asks you`] as const);
  const { holder, queue, state, turnId } = now;
  const isSilent = state === "stale_owner" || state === "silent_owner";
  const kind = state === "owner_gone" ? "holder_gone" : isSilent ? "holder_silent" : null;
  const isLost = kind !== null && holder !== null && queue.length > 0;
  const lost = isLost ? [[`${roomId} ${turnId} ${kind}`, titleOf(kind, nameOf(picture, holder.agentId))] as const] : [];
  return new Map<string, string>([...questions, ...lost]);
}
