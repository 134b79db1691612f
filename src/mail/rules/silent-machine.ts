/** What a sender is told of a recipient whose machine is silent: it may be dead or cut off, and the mail may wait for long. */
import type { AgentId } from "../../core/ids.ts";
import type { Next } from "../../core/next.ts";
import { oneLine } from "../../core/visible.ts";
import type { Sight } from "../../session/rules/aliveness.ts";
import { lastHeardText, type SeenMachine, silenceFields } from "../../session/rules/host-silence.ts";

export interface SilentMachine {
  /** What people call it. */
  readonly host: string;
  readonly hostSilentMs: number;
}

export function silentMachine(machine: SeenMachine | null, { moment }: Sight): SilentMachine | null {
  const { hostSilentMs } = machine ? silenceFields(machine, moment.instant) : {};
  return machine && hostSilentMs !== undefined ? { host: machine.label, hostSilentMs } : null;
}

/** A sentence and a space; nothing if the machine is not silent. */
export function silentMachineText(whose: string, { host, hostSilentMs }: Partial<SilentMachine>): readonly string[] {
  if (host === undefined || hostSilentMs === undefined) return [];
  return [`${whose} machine, ${oneLine(host)}, ${lastHeardText(hostSilentMs)}. `];
}

interface Recipient extends Partial<SilentMachine> {
  readonly to: AgentId;
}

type Parts = Exclude<Next, string>;

/** Undefined if no recipient is on a silent machine. `then`: what the sender may do about it. */
export function afterSendToSilent(deliveries: readonly Recipient[], then: Parts = SEE_OTHERS): Parts | undefined {
  const byHost = new Map<string, { readonly agents: AgentId[]; readonly silentMs: number }>();
  for (const { to, host, hostSilentMs: silentMs } of deliveries) {
    if (host === undefined || silentMs === undefined) continue;
    const known = byHost.get(host);
    if (known) known.agents.push(to);
    else byHost.set(host, { agents: [to], silentMs });
  }
  if (byHost.size === 0) return undefined;
  const sentences = [...byHost].map(
    ([host, { agents, silentMs }]) => `Machine ${oneLine(host)}, with ${listOf(agents)}, ${lastHeardText(silentMs)}. `,
  );
  return [...sentences, ...then];
}

const MOST_NAMED = 3;

function listOf(agents: readonly AgentId[]): string {
  const named = agents.slice(0, MOST_NAMED);
  const more = agents.length - named.length;
  const [last, ...before] = [...named, ...(more > 0 ? [`${more} more`] : [])].toReversed();
  return before.length === 0 ? `${last}` : `${before.toReversed().join(", ")} and ${last}`;
}

const SEE_OTHERS: Parts = [
  "Unread mail waits for its recipient, until it expires. See who else is here: ",
  { do: "list_project_sessions" },
];
