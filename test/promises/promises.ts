/**
 * What the product promises, as data. Each id is cited by at least one test through `verifies`; the gate in
 * manifest.test.ts fails for a promise without a test and for a test that cites no promise.
 */
export const PROMISES = {
  D1: "nothing acknowledged is lost when a process dies",
  D2: "each command happens wholly or not at all",
  D3: "the log is append-only and rebuilds the state",
  D4: "a full disk is a typed fault and heals",
  D5: "a damaged file never crashes or hangs us and is never silently replaced",
  D6: "first open and upgrade work with many openers at one instant",
  S1: "there is at most one holder, and every operation is linearizable",
  S2: "a suspended holder that returns is refused",
  S3: "clock jumps neither steal nor freeze a stick",
  S4: "a dead holder's stick is claimable within the grace and three seconds",
  S5: "a reused pid fools nobody",
  S6: "a handoff arrives once, whole, with the stick",
  S7: "no waiter starves",
  M1: "sent = pending + in flight + acked + dead letters + expired",
  M2: "an ack counts only for its own attempt; a repeated send is one message",
  M3: "per pair in order, across nacks and restarts",
  M4: "what was shown but not acknowledged comes again, with the same id",
  M5: "an ask ends exactly once, and its waiter learns of it at once",
  M6: "mail that a hook showed and a harness threw away comes again; acknowledged means that the model went on with it",
  W1: "an idle waiter writes nothing and uses next to no CPU",
  E1: "a frozen writer cannot freeze the others",
  E2: "no raw busy error shows under load",
  E3: "all stores mean the same",
  E4: "bad input gets a typed answer",
  P1: "every command and tool means the same on every store",
  P2: "on PostgreSQL no fault of server or line loses what was acknowledged, and each has its true name",
  P6: "what grows is bounded: after pruning, rows, files and pages of what is gone are gone",
  H1: "a hook never blocks or breaks the agent",
  H2: "one session is one identity on CLI, MCP and hooks",
  P3: "two machines are never taken for one: a process is gone only by a look from the boot that it names",
  P4: "reads never migrate and understand older schemas; only a damaging migration shuts older builds out",
  P5: "files that are cut, replaced or removed under running processes are noticed, and doctor names who must end",
  X1: "files are ours alone, and planted links are not followed",
  X2: "inside a session another's name is refused; secrets never appear in others' output",
  X3: "a body stays a body: exact at JSON doors, one unforged frame elsewhere",
  X5: "a repository is data: nothing that it contains or configures runs a program",
} as const;

export type PromiseId = keyof typeof PROMISES;
