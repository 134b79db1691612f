/** The log replayed through the model: what the room was like after each event, and who was in it. */
import type { EventView } from "../../../src/room/rules/event-view.ts";
import type { Finding } from "./finding.ts";
import { breachOf, EMPTY_ROOM, type Picture, payloadOf, pictureAfter } from "./model.ts";

export class Timeline {
  readonly log: readonly EventView[];
  readonly findings: Finding[] = [];
  readonly #pictures: Picture[] = [EMPTY_ROOM];
  /** For each agent the positions at which it joined and left, in turn. */
  readonly #visits = new Map<string, number[]>();
  readonly #grants = new Map<number, number>();

  constructor(log: readonly EventView[]) {
    this.log = log;
    const members = new Set<string>();
    for (const [index, event] of log.entries()) this.#replay(index + 1, event, members);
  }

  /** How many events there are; position 0 is before the first one. */
  get end(): number {
    return this.log.length;
  }

  at(position: number): Picture {
    return this.#pictures[position] ?? EMPTY_ROOM;
  }

  event(seq: number): EventView | null {
    return this.log[seq - 1] ?? null;
  }

  isMember(agent: string, position: number): boolean {
    const visits = this.#visits.get(agent) ?? [];
    return countUpTo(visits, position) % 2 === 1;
  }

  /** The event that granted a turn. */
  grantOf(turnId: number): number | null {
    return this.#grants.get(turnId) ?? null;
  }

  #replay(seq: number, event: EventView, members: Set<string>): void {
    const before = this.at(seq - 1);
    if (event.eventSeq !== seq) this.#find(seq, event, `is numbered ${event.eventSeq}`);
    const breach = breachOf(before, members, event);
    if (breach !== null) this.#find(seq, event, breach);
    if (event.eventType === "claim" || event.eventType === "takeover") this.#grants.set(event.turnId, seq);
    this.#follow(seq, event, members);
    this.#pictures.push({ ...pictureAfter(before, event), memberCount: members.size });
  }

  #follow(seq: number, event: EventView, members: Set<string>): void {
    const who = event.fromAgentId ?? "";
    const joins = event.eventType === "member_joined" && !members.has(who);
    const { reason } = payloadOf(event);
    if (joins && this.#visits.has(who) !== (reason === "returned")) this.#find(seq, event, `joined as ${reason}`);
    const leaves = event.eventType === "member_left" && members.has(who);
    if (!joins && !leaves) return;
    if (joins) members.add(who);
    else members.delete(who);
    const visits = this.#visits.get(who);
    if (visits) visits.push(seq);
    else this.#visits.set(who, [seq]);
  }

  #find(seq: number, event: EventView, problem: string): void {
    this.findings.push({
      rule: "model",
      text: `event ${seq} (${event.eventType} by ${event.fromAgentId}): ${problem}`,
    });
  }
}

/** How many of the ascending numbers are at most `limit`. */
function countUpTo(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
