/** The columns that lists of agents begin with. */
import { padded } from "./width.ts";
import { visible } from "./wrap.ts";

interface Named {
  readonly handle: string | null;
  readonly agentId: string;
}

export function nameColumns({ handle, agentId }: Named): string {
  return `${padded(visible(handle ?? ""), 12)} ${padded(visible(agentId), 18)}`;
}
