/**
 * Which event belongs to which operation. An event that carries a tag, or a turn granted to an agent, names
 * its operation; joining and leaving follow from the order in which an agent, which does one thing at a time,
 * did them. What no operation did must be the work of time. An operation that was not answered may own its
 * event or none; one that was refused owns none; no event happens twice.
 */
import type { EventView } from "../../../src/room/rules/event-view.ts";
import type { Finding } from "./finding.ts";
import { payloadOf } from "./model.ts";
import { describe, isOpen, type Operation } from "./operation.ts";

export interface Attribution {
  /** The events of an operation, ascending. */
  readonly eventsOf: ReadonlyMap<Operation, readonly number[]>;
  /** The operation of each event, by its position; none where time did it or where it is uncertain. */
  readonly operationOf: ReadonlyMap<number, Operation>;
  readonly findings: readonly Finding[];
}

export function attribute(log: readonly EventView[], operations: readonly Operation[]): Attribution {
  const matcher = new Matcher(log);
  for (const own of byAgent(operations).values()) matcher.matchAgent(own);
  matcher.reportLeftovers();
  return matcher;
}

export function byAgent(operations: readonly Operation[]): ReadonlyMap<string, readonly Operation[]> {
  const groups = new Map<string, Operation[]>();
  for (const operation of operations) append(groups, operation.agent, operation);
  return groups;
}

/** Whether it is certain that the agent is a member: after an unanswered operation it is not. */
type Membership = "no" | "yes" | "maybe";

class Matcher implements Attribution {
  readonly eventsOf = new Map<Operation, number[]>();
  readonly operationOf = new Map<number, Operation>();
  readonly findings: Finding[] = [];
  readonly #log: readonly EventView[];
  readonly #byName = new Map<string, number>();
  readonly #joins = new Map<string, number[]>();
  readonly #leaves = new Map<string, number[]>();
  readonly #claims = new Map<string, number[]>();
  readonly #unclaimed = new Set<number>();

  constructor(log: readonly EventView[]) {
    this.#log = log;
    const members = new Set<string>();
    for (const [index, event] of log.entries()) {
      this.#index(index + 1, event, members);
      if (event.eventType === "member_joined") members.add(event.fromAgentId ?? "");
      if (event.eventType === "member_left") members.delete(event.fromAgentId ?? "");
    }
  }

  #index(seq: number, event: EventView, members: ReadonlySet<string>): void {
    const who = event.fromAgentId ?? "";
    const { reason } = payloadOf(event);
    const name = nameOf(event);
    if (name !== null) {
      if (this.#byName.has(name)) this.#find(`event ${seq} repeats event ${this.#byName.get(name)} (${name})`);
      this.#byName.set(name, seq);
      this.#unclaimed.add(seq);
      if (event.eventType === "claim") append(this.#claims, who, seq);
    } else if (event.eventType === "member_joined" && !members.has(who)) {
      append(this.#joins, who, seq);
      this.#unclaimed.add(seq);
    } else if (event.eventType === "member_left" && reason === "left") {
      append(this.#leaves, who, seq);
      this.#unclaimed.add(seq);
    }
  }

  matchAgent(operations: readonly Operation[]): void {
    let membership: Membership = "no";
    for (const operation of operations) {
      membership = this.#join(operation, membership);
      if (operation.request.kind === "leave") membership = this.#leave(operation, membership);
      else this.#matchNamed(operation);
    }
    for (const operation of operations) {
      if (operation.request.kind === "wait" && isOpen(operation)) this.#adoptClaim(operation);
    }
  }

  #matchNamed(operation: Operation): void {
    const name = wantedName(operation);
    const seq = name === null ? undefined : this.#byName.get(name);
    if (seq === undefined) {
      if (hasEffect(operation)) this.#find(`the log has no event of ${describe(operation)}`);
    } else if (hasEffect(operation) || isOpen(operation)) this.#give(operation, seq);
    else this.#find(`event ${seq} is in the log, and yet: ${describe(operation)}`);
  }

  /** The turn that an unanswered wait was granted is one of the agent's turns that nobody else was told of. */
  #adoptClaim(operation: Operation): void {
    const seq = this.#claims.get(operation.agent)?.find((claim) => this.#unclaimed.has(claim));
    if (seq !== undefined) this.#give(operation, seq);
  }

  #join(operation: Operation, membership: Membership): Membership {
    const certainly = joins(operation);
    const possibly = mayJoin(operation) && (operation.answer === null || isOpen(operation) || isFault(operation));
    if (membership === "yes" || (!certainly && !possibly)) return membership;
    const seq = this.#joins.get(operation.agent)?.[0];
    if (!certainly) {
      // An agent's last operation is the only one that could have done what is left over.
      if (operation.answer === null && seq !== undefined) this.#take(this.#joins, operation, seq);
      return "maybe";
    }
    if (seq === undefined) {
      if (membership === "no") this.#find(`nobody saw the agent join: ${describe(operation)}`);
    } else if (membership === "no") this.#take(this.#joins, operation, seq);
    else this.#drop(this.#joins, operation.agent, seq);
    return "yes";
  }

  #leave(operation: Operation, membership: Membership): Membership {
    const seq = this.#leaves.get(operation.agent)?.[0];
    const left = operation.answer?.is === "left";
    if (left && seq === undefined) this.#find(`the log has no event of ${describe(operation)}`);
    if (seq !== undefined && (left || isOpen(operation))) this.#take(this.#leaves, operation, seq);
    if (left) return "no";
    return isOpen(operation) ? "maybe" : membership;
  }

  /** What is left over was done by nobody who would have been told, and by nobody who died over it. */
  reportLeftovers(): void {
    for (const seq of this.#unclaimed) {
      const event = this.#log[seq - 1];
      this.#find(`no operation did event ${seq} (${event?.eventType} by ${event?.fromAgentId})`);
    }
  }

  #take(from: Map<string, number[]>, operation: Operation, seq: number): void {
    from.get(operation.agent)?.shift();
    this.#give(operation, seq);
  }

  #drop(from: Map<string, number[]>, agent: string, seq: number): void {
    from.get(agent)?.shift();
    this.#unclaimed.delete(seq);
  }

  #give(operation: Operation, seq: number): void {
    this.#unclaimed.delete(seq);
    const taken = this.operationOf.get(seq);
    if (taken) this.#find(`event ${seq} was answered twice: ${describe(taken)} and ${describe(operation)}`);
    this.operationOf.set(seq, operation);
    append(this.eventsOf, operation, seq);
  }

  #find(text: string): void {
    this.findings.push({ rule: "outcome", text });
  }
}

/** The name of an event that only one operation can have done. */
function nameOf(event: EventView): string | null {
  if (event.eventType === "claim") return `claim ${event.fromAgentId} ${event.turnId}`;
  if (event.eventType === "takeover") return `takeover ${event.reason}`;
  if (event.eventType === "note_added") return `note ${payloadOf(event).preview}`;
  if (event.eventType === "release" || event.eventType === "pass") return `${event.eventType} ${event.handoff?.status}`;
  return null;
}

function wantedName({ agent, request, answer }: Operation): string | null {
  if ("tag" in request) return `${request.kind} ${request.tag}`;
  const granted = request.kind === "wait" && answer?.is === "your_turn" && answer.reason !== "already_owner";
  return granted ? `claim ${agent} ${answer.turnId}` : null;
}

/** Whether the answer says that something was written into the log, besides the caller's joining. */
export function hasEffect({ answer }: Operation): boolean {
  if (answer?.is === "your_turn") return answer.reason !== "already_owner";
  return answer !== null && ["released", "passed", "taken", "noted", "left"].includes(answer.is);
}

function mayJoin({ request }: Operation): boolean {
  return ["join", "wait", "takeover", "note"].includes(request.kind);
}

/** Whether the operation lets its agent be seen in the room. */
export function isSeenInRoom(operation: Operation): boolean {
  return mayJoin(operation) || "leaseId" in operation.request;
}

/** Whether the agent is certainly a member after this operation, by its own doing. */
function joins(operation: Operation): boolean {
  const { answer } = operation;
  const done = answer !== null && answer.is !== "refused" && answer.is !== "fault" && answer.is !== "crash";
  return mayJoin(operation) && done;
}

function isFault({ answer }: Operation): boolean {
  return answer?.is === "fault";
}

function append<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const known = map.get(key);
  if (known) known.push(item);
  else map.set(key, [item]);
}
