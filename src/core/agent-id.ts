import { type AgentId, asAgentId } from "./ids.ts";
import { type ProcessRef, processKey } from "./process.ts";

/** A digest as hexadecimal text; the same for the same text in every process. */
export type Hash = (text: string) => string;

const DIGITS = 8;
const PERSON = "human:";

/** The id of a person, the same in all their terminals. In a shared store the machine belongs to it. */
export function personAgentId(
  { user, hostName }: { readonly user: string; readonly hostName: string },
  shared: boolean,
): AgentId {
  return asAgentId(`${PERSON}${shared ? `${user}@${hostName}` : user}`);
}

export function isPersonsName(agentId: AgentId): boolean {
  return agentId.startsWith(PERSON);
}

/** Reserved words: everybody, the caller itself, any agent, the person. No agent has one of them as its id. */
const WORDS_FOR_OTHERS = ["room", "all", "self", "any", "human"];

/** Whether a recipient's name means everybody in the room. */
export function meansRoom(name: unknown): boolean {
  return name === "room" || name === "all";
}

export function isWordForOthers(name: string): boolean {
  return WORDS_FOR_OTHERS.includes(name);
}

/** The same of a handle: those of people are `human`, `human-2` and so on, and theirs alone. */
export function mayBeCalled(agentId: AgentId, handle: string): boolean {
  return /^human(-\d+)?$/.test(handle) ? isPersonsName(agentId) : !isWordForOthers(handle);
}

/** The id of a session whose harness told its session id: the same on every surface. */
export function sessionAgentId(harness: string, sessionId: string, hash: Hash): AgentId {
  return withDigest(harness, hash(sessionId));
}

/** The id of a session of which only the process is known. */
export function processAgentId(harness: string, process: ProcessRef, hash: Hash): AgentId {
  return withDigest(harness, hash(`process ${processKey(process)}`));
}

function withDigest(harness: string, digest: string): AgentId {
  return asAgentId(`${harness}:${digest.slice(0, DIGITS)}`);
}
