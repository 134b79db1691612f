/** How people are told of agents, messages and notes: by handle and by the beginning of an id. */
import { padded } from "../../words/width.ts";
import { visible } from "../../words/wrap.ts";

/** Enough to be the only one in practice. If it is not, the command that gets it lists the candidates. */
const SHORT_ID_CHARACTERS = 8;

export interface ShownNames {
  /** The agent's handle, or its id if it has none or if the reader wants ids. */
  readonly of: (agentId: string) => string;
  /** The beginning of an id that commands take, or all of it if the reader wants ids. */
  readonly short: (id: string) => string;
  /** Whether the reader wants ids. */
  readonly ids: boolean;
}

export function namesFrom(handles: ReadonlyMap<string, string>, ids: boolean): ShownNames {
  return {
    of: (agentId) => (ids ? agentId : (handles.get(agentId) ?? agentId)),
    short: (id) => (ids ? id : id.slice(0, SHORT_ID_CHARACTERS)),
    ids,
  };
}

/** A sentence of ours that names agents by their ids, with their handles instead. */
export function withHandles(sentence: string, handles: ReadonlyMap<string, string>): string {
  return sentence.replace(/[\w.-]+:[\w.:@-]*[\w@-]/g, (word) => handles.get(word) ?? word);
}

interface Named {
  readonly handle: string | null;
  readonly agentId: string;
}

/** The columns that lists of agents begin with. */
export function nameColumns({ handle, agentId }: Named, { ids }: Pick<ShownNames, "ids">): string {
  const name = padded(visible(handle ?? (ids ? "" : agentId)), 12);
  return ids ? `${name} ${padded(visible(agentId), 18)}` : name;
}
