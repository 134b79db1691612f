/** A run as a table of its phases, and a list of what became of it. */
import { type Phase, shownMs } from "./phase.ts";
import type { Call } from "./records.ts";
import type { Result } from "./run.ts";

/** One sentence for each, and none if every promise was kept. */
export function brokenPromises({ account, crashes, mailboxes }: Result): readonly string[] {
  const { lost, doubled, wrong } = account;
  const left = mailboxes.open + mailboxes.dead;
  return [...lost, ...doubled, ...wrong, ...crashes, ...(left > 0 ? [`${left} messages were never read`] : [])];
}

export function tableOf({ phases }: Result): string {
  const columns = phases.map(columnOf);
  const names = Object.keys(columns[0] ?? {});
  const rows = names.map((name) => [name, ...columns.map((column) => column[name] ?? "")]);
  const head = ["", ...phases.map(({ pace }) => `${pace} × life`)];
  const widths = head.map((_, index) => Math.max(3, ...[head, ...rows].map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function columnOf(phase: Phase): Readonly<Record<string, string>> {
  const { seconds, done, from, until, messages, messagesAwaited, grants, commands, connections, calls } = phase;
  const perSecond = (count: number) => `${(count / seconds).toFixed(count / seconds >= 10 ? 0 : 1)} /s`;
  const share = (cpu: number) => `${((cpu / seconds) * 100).toFixed(0)} %`;
  const count = (...of: readonly Call[]) => of.reduce((sum, call) => sum + (calls.get(call) ?? 0), 0);
  const growth = until.databaseBytes - from.databaseBytes;
  return {
    time: `${Math.round(seconds)} s`,
    "operations that were done": `${done}: ${perSecond(done)}`,
    turns: String(count("wait", "take over")),
    "messages, questions, answers": String(count("send", "tt msg send", "ask", "reply")),
    "a message that is waited for, p50 / p99": times(messagesAwaited),
    "any message, p50 / p99": times(messages),
    "a grant, p50 / p99": times(grants),
    "a command, p50 / p99": times(commands),
    "the server's CPU, of one core": share(until.serverCpu - from.serverCpu),
    "the agents' CPU, of one core": share(until.agentsCpu - from.agentsCpu),
    "connections, mean / most": `${mean(connections).toFixed(0)} / ${Math.max(0, ...connections)}`,
    "transactions, reads included": perSecond(until.commits - from.commits),
    "the database grew by": `${megabytes(growth)}, ${perOperation(growth, done)}`,
    "its log": megabytes(until.walBytes - from.walBytes),
  };
}

function times(us: readonly number[]): string {
  return us.length === 0 ? "–" : `${shownMs(us, 0.5)} / ${shownMs(us, 0.99)} of ${us.length}`;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}

function perOperation(bytes: number, operations: number): string {
  return `${(bytes / 1024 / Math.max(1, operations)).toFixed(1)} KB each`;
}

/** What did not go as asked, by its code. */
export function failuresOf({ phases }: Result): readonly string[] {
  return phases.flatMap(({ pace, refused, faults }) => {
    const shown = (kind: string, of: ReadonlyMap<string, number>) =>
      [...of].map(([code, count]) => `at ${pace} × life, ${kind}: ${code}, ${count} ×`);
    return [...shown("refused", refused), ...shown("fault", faults)];
  });
}
