/** Advice as one file for each agent: what it was given already, and the facts that still wait for its next hook. */
import { fileNameFor } from "../../core/file-name.ts";
import { type AgentId, asRoomId, isId } from "../../core/ids.ts";
import { ADVICE_KINDS, type Advice, type AdviceFacts } from "../../engine/ports/advice.ts";
import { pathIn } from "../files/path-in.ts";
import { readPrivateJson, writePrivateJson } from "../files/private-file.ts";

export const ADVICE_KIND = "advice";

/** What was given earlier may be given again. */
const MOST_REMEMBERED = 100;
const MOST_WAITING = 10;

interface Given {
  readonly about: readonly string[];
  readonly waiting: readonly AdviceFacts[];
}

export function createAdvice(dataDir: string): Advice {
  const root = pathIn(dataDir, "agents");
  const pathOf = (agentId: AgentId) => pathIn(root, fileNameFor(ADVICE_KIND, agentId));
  const read = (agentId: AgentId): Given => {
    const { about, waiting } = Object(quietly(() => readPrivateJson(pathOf(agentId)))) as Record<keyof Given, unknown>;
    return {
      about: listIn(about).filter((item) => typeof item === "string"),
      waiting: listIn(waiting).flatMap(factsIn).slice(-MOST_WAITING),
    };
  };
  const write = (agentId: AgentId, given: Given) => quietly(() => writePrivateJson(root, pathOf(agentId), given));
  return {
    give(agentId, about, facts) {
      const given = read(agentId);
      if (given.about.includes(about)) return false;
      write(agentId, {
        about: [...given.about, about].slice(-MOST_REMEMBERED),
        waiting: [...given.waiting, facts].slice(-MOST_WAITING),
      });
      return true;
    },
    waiting: (agentId) => read(agentId).waiting,
    shown(agentId, facts) {
      if (facts.length === 0) return;
      const given = read(agentId);
      write(agentId, {
        ...given,
        waiting: given.waiting.filter((each) => !facts.some((other) => isSame(each, other))),
      });
    },
  };
}

/** Anything that we would not have written is left out. */
function factsIn(value: unknown): readonly AdviceFacts[] {
  const { kind, roomId, at } = Object(value) as Record<keyof AdviceFacts, unknown>;
  const known = ADVICE_KINDS.find((each) => each === kind);
  if (known === undefined || !isId(roomId) || !Number.isSafeInteger(at) || Number(at) < 0) return [];
  return [{ kind: known, roomId: asRoomId(roomId), at: Number(at) }];
}

function isSame(a: AdviceFacts, b: AdviceFacts): boolean {
  return a.kind === b.kind && a.roomId === b.roomId && a.at === b.at;
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A file that cannot be read or written costs only the advice. */
function quietly<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    // The agent works without the advice, as it does without a guard.
    return null;
  }
}
