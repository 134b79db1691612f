/** Why nobody moves, in one sentence, and what to do about it. */
import type { AgentId } from "../../core/ids.ts";
import type { Step } from "../../core/next.ts";
import { oneLine } from "../../core/visible.ts";
import { nameIn, type RoomPicture } from "../../peers/rules/picture.ts";
import type { ShownMachine } from "../../peers/rules/picture-agents.ts";
import type { Reason, WaitEdge } from "../../peers/rules/wait-graph.ts";
import type { WayStep } from "../../peers/rules/way-on.ts";
import { agoOrJustNow, silenceWords } from "./stick-words.ts";

type Named = Pick<RoomPicture, "names" | "me">;
type Told = Named & Pick<RoomPicture, "agents">;

/** The machine of an agent, if that is another one. */
export function machineOf({ agents }: Pick<RoomPicture, "agents">, agentId: AgentId | null): ShownMachine | null {
  return agents.find((row) => row.agentId === agentId)?.machine ?? null;
}

/** The name in a sentence. */
export function nameOf({ names }: Pick<RoomPicture, "names">, agentId: AgentId): string {
  return oneLine(nameIn(names, agentId));
}

/** The picture as its reader wants names. */
export function namedFor(picture: RoomPicture, { ids }: { readonly ids: boolean }): RoomPicture {
  return ids ? { ...picture, names: {} } : picture;
}

/** What its sender is told of a message, and where it may wait for long. */
export function sentWords(picture: Told, to: AgentId, nowMs: number): string {
  const machine = machineOf(picture, to);
  const silence = machine?.silentSince ? ` Its machine ${silenceWords(machine, nowMs)}.` : "";
  return `Sent to ${nameOf(picture, to)}.${silence}`;
}

export function whyWords({ why: { reason }, ...picture }: Told & Pick<RoomPicture, "why">, nowMs: number) {
  const words = wordsOf(reason, picture, nowMs);
  // A name stays as it is.
  return OWN_WORDS.test(words) ? `${words.charAt(0).toUpperCase()}${words.slice(1)}` : words;
}

const OWN_WORDS = /^(?:you|the|nobody) /;

function wordsOf(reason: Reason, picture: Told, nowMs: number): string {
  const isMe = (agent: AgentId) => agent === picture.me;
  const whose = (agent: AgentId) => (isMe(agent) ? "your" : `${nameOf(picture, agent)}'s`);
  const does = (agent: AgentId, verb: string, own: string) =>
    isMe(agent) ? `you ${own}` : `${nameOf(picture, agent)} ${verb}`;
  const waitsForAnswer = (asker: AgentId, asked: AgentId) =>
    `${does(asker, "waits", "wait")} for ${whose(asked)} answer`;
  const holds = (agent: AgentId) => `${does(agent, "holds", "hold")} the stick`;
  const andWaiting = ({ waiting }: { readonly waiting: readonly AgentId[] }) => waitingWords(waiting, picture);
  const silence = (agent: AgentId) => silenceWords(machineOf(picture, agent), nowMs);
  switch (reason.kind) {
    case "closed":
      return "the room is closed.";
    case "question":
      return `${waitsForAnswer(reason.asker, reason.person)}.${othersWords(reason.others)}`;
    case "permission":
      return `${does(reason.agent, "waits", "wait")} for an answer to a prompt in ${isMe(reason.agent) ? "your" : "its"} own terminal.${othersWords(reason.others)}`;
    case "circle":
      return `${reason.edges.map((edge) => edgeWords(edge, picture)).join("; ")}.`;
    case "holder_gone":
      return `${holds(reason.holder)}, but ${isMe(reason.holder) ? "your" : "its"} process is gone${andWaiting(reason)}.`;
    case "reserved_gone":
      return `the stick is reserved for ${nameOf(picture, reason.agent)}, whose process is gone${andWaiting(reason)}.`;
    case "asked_gone":
      return `${waitsForAnswer(reason.asker, reason.asked)}, but ${whose(reason.asked)} process is gone.`;
    case "paused": {
      const why = reason.reason === null ? "." : `: ${oneLine(reason.reason)}`;
      return `${does(reason.by, "paused", "paused")} the room ${agoOrJustNow(reason.since, nowMs)}${why}`;
    }
    case "holder_silent":
      return `${holds(reason.holder)}, but ${isMe(reason.holder) ? "your" : "its"} machine ${silence(reason.holder)}${andWaiting(reason)}.`;
    case "asked_silent":
      return `${waitsForAnswer(reason.asker, reason.asked)}, but ${whose(reason.asked)} machine ${silence(reason.asked)}.`;
    case "lease_expired":
      return `${holds(reason.holder)}, but ${isMe(reason.holder) ? "your" : "its"} lease has expired${andWaiting(reason)}.`;
    case "holder_idle":
      return `${holds(reason.holder)} and ${isMe(reason.holder) ? "are" : "is"} idle${andWaiting(reason)}.`;
    case "asked_idle":
      return `${waitsForAnswer(reason.asker, reason.asked)}, but ${does(reason.asked, "is", "are")} idle.`;
    case "unanswered": {
      const who = isMe(reason.person) ? "you have" : `${nameOf(picture, reason.person)} has`;
      return `nobody is stuck, but ${does(reason.asker, "asked", "asked")} a question that ${who} not answered.`;
    }
    case "reserved": {
      const name = isMe(reason.agent) ? "you" : nameOf(picture, reason.agent);
      return `nobody is stuck: the stick is reserved for ${name}${andWaiting(reason)}.`;
    }
    case "held": {
      const { holder, asked } = reason;
      const answer = asked === null ? "" : ` and ${isMe(holder) ? "wait" : "waits"} for ${whose(asked)} answer`;
      return `nobody is stuck: ${holds(holder)}${answer}${andWaiting(reason) || "; nobody waits for it"}.`;
    }
    case "free":
      return `nobody is stuck: the stick is free${andWaiting(reason)}.`;
  }
}

/** Who waits for what of another. */
export function edgeWords({ from, to, awaits }: WaitEdge, picture: Named): string {
  const isMe = (agent: AgentId | null) => agent === picture.me;
  const name = (agent: AgentId | null) => (agent === null ? "a person" : nameOf(picture, agent));
  const waits = isMe(from) ? "you wait" : `${name(from)} waits`;
  switch (awaits) {
    case "answer":
      return `${waits} for ${isMe(to) ? "your" : `${name(to)}'s`} answer`;
    case "stick":
      return `${waits} for the stick that ${isMe(to) ? "you hold" : `${name(to)} holds`}`;
    case "reservation":
      return `${waits} for the stick that is reserved for ${isMe(to) ? "you" : name(to)}`;
    case "permission":
      return `${waits} for an answer to a prompt in ${isMe(from) ? "your" : "its"} own terminal`;
  }
}

/** More names would hide the reason. */
const MOST_WAITERS = 3;

function waitingWords(waiting: readonly AgentId[], picture: Named): string {
  if (waiting.length === 0) return "";
  const named = waiting.slice(0, MOST_WAITERS).map((agent) => (agent === picture.me ? "you" : nameOf(picture, agent)));
  const more = waiting.length - named.length;
  const all = more > 0 ? [...named, `${more} more`] : named;
  const [last] = all.slice(-1);
  const list = all.length === 1 ? last : `${all.slice(0, -1).join(", ")} and ${last}`;
  return `; ${list} ${all.length === 1 && waiting[0] !== picture.me ? "waits" : "wait"}`;
}

function othersWords(others: number): string {
  return others === 0 ? "" : others === 1 ? " One more agent needs a person." : ` ${others} more agents need a person.`;
}

/** What the step does, as words that stand before its command. */
export function stepWords(step: WayStep, picture: RoomPicture): string {
  const to = step.with?.["to"] ?? step.with?.["to_agent_id"];
  const name = typeof to === "string" ? nameOf(picture, to as AgentId) : "";
  const { holder } = picture.now;
  switch (step.do) {
    case "request_stick":
      return holder === null ? "Ask for it" : `Ask ${nameOf(picture, holder.agentId)} to release it`;
    case "takeover_stick":
      return "Take the stick over";
    case "release_stick":
      return "Hand the stick over";
    case "reply_to_message":
      return "Answer";
    case "read_my_messages":
      return "Read the question";
    case "send_message":
      return `Tell ${name}`;
    case "give_stick":
      return `Give it to ${name}`;
    case "resume_room":
      return "Go on";
    case "join_path":
      return "Reopen it";
    case "wait_for_turn":
      return picture.why.reason.kind === "reserved_gone" ? "End the reservation" : "Take it";
  }
}

/** The step with what people call its agents, so that its command reads as they type it. */
export function namedStep(step: Step, picture: RoomPicture): Step {
  const { with: given = {} } = step;
  const named = Object.entries(given).map(([field, value]) => {
    const isAgent = (field === "to" || field === "to_agent_id") && typeof value === "string";
    return [field, isAgent ? nameIn(picture.names, value as AgentId) : value] as const;
  });
  return { ...step, with: Object.fromEntries(named) };
}
