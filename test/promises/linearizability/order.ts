/**
 * The order of the log against the order of real time.
 *
 * Every operation gets a position in the log: an effect the place of its event, a look the first place at which
 * what it saw was true and which is not before anything that had been answered when it was invoked. Taking the
 * first place is never wrong, since places only ever push later operations further back. If an operation finds
 * no place, then no order of all operations explains what they were told. One sweep over the operations by the
 * time of their invocation, with those answered before it folded into a floor, so n log n for n operations.
 */
import { type Attribution, hasEffect } from "./attribution.ts";
import type { Bounds } from "./bounds.ts";
import { effectProblem } from "./effects.ts";
import type { Finding } from "./finding.ts";
import { describe, type Operation } from "./operation.ts";
import { isTrueAt, type Knowledge } from "./sights.ts";

export function checkOrder(
  operations: readonly Operation[],
  { eventsOf }: Attribution,
  bounds: Bounds,
  known: Knowledge,
): Finding[] {
  const findings: Finding[] = [];
  const byInvocation = operations.toSorted((a, b) => a.invokedAt - b.invokedAt);
  const answered = operations.filter(({ answer }) => answer !== null).toSorted((a, b) => a.answeredAt - b.answeredAt);
  const places = new Map<Operation, number>();
  let floor = 0;
  let next = 0;
  for (const operation of byInvocation) {
    for (; (answered[next]?.answeredAt ?? Number.POSITIVE_INFINITY) < operation.invokedAt; next += 1) {
      floor = Math.max(floor, places.get(answered[next] as Operation) ?? 0);
    }
    const events = eventsOf.get(operation) ?? [];
    const { position, finding } = place(operation, events, floor, bounds, known);
    places.set(operation, position);
    if (finding) findings.push(finding);
  }
  return findings;
}

function place(
  operation: Operation,
  events: readonly number[],
  floor: number,
  bounds: Bounds,
  known: Knowledge,
): { readonly position: number; readonly finding?: Finding } {
  const first = events[0] ?? Number.POSITIVE_INFINITY;
  const last = events.at(-1) ?? 0;
  const from = Math.max(floor, last);
  const problem = (rule: Finding["rule"], text: string) => ({
    position: from,
    finding: { rule, text: `${text}: ${describe(operation)}` },
  });
  if (first <= floor) return problem("order", `event ${first} came before ${floor}, which had been answered`);
  if (!isAtomic(operation, events)) return problem("order", `events ${events.join(", ")} are not one change`);
  if (hasEffect(operation)) {
    const wrong = effectProblem(operation, last, known);
    return wrong === null ? { position: last } : problem("answer", wrong);
  }
  const until = bounds.lastVisibleAt(operation.answeredAt);
  for (let position = from; position <= until; position += 1) {
    if (isTrueAt(position, operation, known)) return { position };
  }
  return problem("sight", `true at no place from ${from} to ${until}`);
}

/** A wait goes on between its joining and its grant; everything else happens at one instant. */
function isAtomic({ request }: Operation, events: readonly number[]): boolean {
  if (request.kind === "wait" && request.maxWaitMs > 0) return true;
  return events.every((seq, index) => index === 0 || seq === (events[index - 1] as number) + 1);
}
