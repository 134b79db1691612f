/** What of the log is open, as the address says it: `seq:12`, or the filter as a query. Pure. */
import { asAgentId } from "../../../../core/ids.ts";
import { wallMsOf, wallTime } from "../../../../core/time.ts";
import { isFiltering, LOG_GROUPS, type LogFilter, NO_FILTER } from "./log-filter.ts";

export interface LogPlace {
  readonly filter: LogFilter;
  /** The event that is open. */
  readonly seq: number | null;
}

const ONE_EVENT = "seq:";

export function logPlaceOf(item: string | null): LogPlace {
  if (item === null) return { filter: NO_FILTER, seq: null };
  if (item.startsWith(ONE_EVENT)) return { filter: NO_FILTER, seq: seqOf(item.slice(ONE_EVENT.length)) };
  const query = new URLSearchParams(item);
  const agent = query.get("agent") ?? "";
  const filter = {
    group: LOG_GROUPS.find((group) => group === query.get("type")) ?? NO_FILTER.group,
    agent: agent === "" ? null : asAgentId(agent),
    text: query.get("text") ?? "",
    from: momentOf(query.get("from") ?? ""),
    until: momentOf(query.get("until") ?? ""),
  };
  return { filter, seq: seqOf(query.get("seq") ?? "") };
}

export function logItemOf({ filter, seq }: LogPlace): string | null {
  if (!isFiltering(filter)) return seq === null ? null : `${ONE_EVENT}${seq}`;
  const { group, agent, text, from, until } = filter;
  const query = new URLSearchParams();
  if (group !== NO_FILTER.group) query.set("type", group);
  if (agent !== null) query.set("agent", agent);
  if (text.trim() !== "") query.set("text", text.trim());
  if (from !== null) query.set("from", wallTime(from));
  if (until !== null) query.set("until", wallTime(until));
  if (seq !== null) query.set("seq", String(seq));
  return query.toString();
}

function momentOf(text: string): number | null {
  const ms = wallMsOf(text);
  return Number.isNaN(ms) ? null : ms;
}

function seqOf(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
