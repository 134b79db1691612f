/**
 * What mailboxes should do, said once more and as plainly as possible: a list of deliveries in the order of commits,
 * each in one state, with time applied to all of them whenever it passes. No windows, no counters, no transactions.
 */
export interface Terms {
  readonly maxRetries: number;
  readonly backoffMs: number;
  readonly inflightMs: number;
  readonly ttlMs: number;
}

export interface Delivered {
  readonly message: string;
  from: string;
  to: string;
  readonly interrupt: boolean;
  state: "pending" | "in_flight" | "acked" | "dead_letter" | "expired";
  /** Attempts of this delivery, and of the one it was requeued from. */
  tries: number;
  /** Those of them whose reader gave the message back unseen, which count against nothing. */
  returned: number;
  readonly before: number;
  /** The turn in which a hook has shown it, while nothing has settled that; undefined when none has. */
  shownIn: string | null | undefined;
  /** When in flight, until when; when pending, not before. */
  dueMs: number;
  /** On the clock of one boot; after a reboot the wall decides. */
  readonly expiresMs: number;
  readonly expiresWallMs: number;
  readonly boot: number;
  purged: boolean;
}

/** What a hook tells of the turn that it belongs to. */
export interface Sign {
  readonly event: "went_on" | "prompted" | "broke_off" | "no_sign";
  readonly turn: string | null;
}

export type Answer = "done" | "repeated" | "attempt_stale" | "not_your_message";

export class ReferenceMail {
  readonly terms: Terms;
  readonly deliveries: Delivered[] = [];
  readonly #presentNames = new Map<string, string>();
  nowMs = 0;
  wallMs = 0;
  boot = 1;
  wallWentBack = false;

  constructor(terms: Terms) {
    this.terms = terms;
  }

  nameOf(name: string): string {
    return this.#presentNames.get(name) ?? name;
  }

  merge(old: string, name: string): void {
    this.#presentNames.set(old, name);
    for (const delivery of this.deliveries) {
      if (delivery.to === old) delivery.to = name;
      if (delivery.from === old) delivery.from = name;
    }
  }

  send(message: string, from: string, recipients: readonly string[], interrupt: boolean): void {
    for (const to of recipients) this.#add({ message, from, to, interrupt, before: 0 });
  }

  /** Lets the boot's clock and the wall run, or the wall alone jump. */
  pass(ms: number, wallMs = ms): void {
    this.nowMs += ms;
    this.wallMs += wallMs;
    this.wallWentBack ||= wallMs < 0;
    this.#settle();
  }

  reboot(): void {
    this.boot += 1;
    this.nowMs = 0;
    for (const delivery of this.deliveries) {
      if (isAwaited(delivery)) this.#failed(delivery, Number.NEGATIVE_INFINITY);
      delivery.dueMs = Number.NEGATIVE_INFINITY;
    }
    this.#settle();
  }

  /** The ids and attempts that a door gets, in its order. */
  take(reader: string, { limit, onePerSender }: { readonly limit: number; readonly onePerSender: boolean }) {
    const all = this.#live(reader);
    const live = all.filter(({ shownIn }) => shownIn === undefined);
    const lanes = [...new Set(live.map(({ from }) => from))].map((from) => live.filter((one) => one.from === from));
    const open = lanes.flatMap((lane) => {
      const blocked = lane.findIndex((one) => !this.#isReady(one));
      return (blocked < 0 ? lane : lane.slice(0, blocked)).slice(0, onePerSender ? 1 : undefined);
    });
    // An interrupt brings what is older along until it has ended, also after it was shown.
    const urgent = open.filter((one) => all.slice(all.indexOf(one)).some((it) => it.interrupt && it.from === one.from));
    const inOrder = (some: readonly Delivered[]) => this.deliveries.filter((one) => some.includes(one));
    const rest = open.filter((one) => !urgent.includes(one));
    const taken = [...inOrder(urgent), ...inOrder(rest)].slice(0, limit);
    for (const one of taken) {
      one.state = "in_flight";
      one.tries += 1;
      one.dueMs = this.nowMs + this.terms.inflightMs;
    }
    return taken.map((one) => ({ one, messageId: one.message, attempt: one.before + one.tries }));
  }

  /** A hook first settles what was shown before, and then takes what it shows. */
  hook(reader: string, sign: Sign, limit: number) {
    for (const one of this.#live(reader)) this.#settleShown(one, sign);
    return this.take(reader, { limit, onePerSender: false });
  }

  /** Until something of its turn is told, only its time to live can end it. */
  show(one: Delivered, attempt: number, turn: string | null): void {
    if (attempt === one.before + one.tries && one.state === "in_flight") one.shownIn = turn;
  }

  #settleShown(one: Delivered, { event, turn }: Sign): void {
    if (one.shownIn === undefined || event === "no_sign") return;
    const isSame = one.shownIn === turn;
    if (event === "prompted" && isSame && turn !== null) return;
    if (event === "went_on" && isSame) this.#end(one, "acked");
    else this.giveBack(one, one.before + one.tries);
  }

  /** A door answers for the very delivery it was given; after a merge there may be two of one message. */
  confirm(one: Delivered, attempt: number): void {
    if (attempt === one.before + one.tries && one.state === "in_flight") this.#end(one, "acked");
  }

  giveBack(one: Delivered, attempt: number): void {
    if (attempt !== one.before + one.tries || one.state !== "in_flight") return;
    this.#end(one, "pending");
    one.returned += 1;
    one.dueMs = Number.NEGATIVE_INFINITY;
  }

  answer(reader: string, message: string, attempt: number, what: "ack" | "nack"): Answer {
    const one = this.#newest(reader, message);
    if (!one) return "not_your_message";
    if (attempt !== one.before + one.tries || one.state === "pending") return "attempt_stale";
    // Only who asks for the end that it has had repeats something.
    if (one.state !== "in_flight")
      return one.state === (what === "ack" ? "acked" : "dead_letter") ? "repeated" : "attempt_stale";
    if (what === "ack") this.#end(one, "acked");
    else this.#failed(one, this.nowMs);
    return "done";
  }

  requeue(reader: string, message: string): boolean {
    const dead = this.#newest(reader, message);
    if (dead?.state !== "dead_letter" || dead.purged) return false;
    const { from, to, interrupt } = dead;
    this.#add({ message, from, to, interrupt, before: dead.before + dead.tries });
    return true;
  }

  purge(reader: string): number {
    const live = this.#live(reader);
    for (const one of live) this.#end(one, "expired");
    return live.length;
  }

  purgeDeadLetters(reader: string): number {
    const dead = this.deliveries.filter((one) => one.to === reader && one.state === "dead_letter" && !one.purged);
    for (const one of dead) one.purged = true;
    return dead.length;
  }

  #add({
    message,
    from,
    to,
    interrupt,
    before,
  }: Pick<Delivered, "message" | "from" | "to" | "interrupt" | "before">): void {
    const { ttlMs } = this.terms;
    this.deliveries.push({
      message,
      from,
      to,
      interrupt,
      before,
      state: "pending",
      tries: 0,
      returned: 0,
      shownIn: undefined,
      dueMs: Number.NEGATIVE_INFINITY,
      expiresMs: this.nowMs + ttlMs,
      expiresWallMs: this.wallMs + ttlMs,
      boot: this.boot,
      purged: false,
    });
  }

  #live(reader: string): readonly Delivered[] {
    return this.deliveries.filter((one) => one.to === reader && (one.state === "pending" || one.state === "in_flight"));
  }

  #newest(reader: string, message: string): Delivered | undefined {
    return this.deliveries.findLast((one) => one.to === reader && one.message === message);
  }

  #isReady(one: Delivered): boolean {
    return one.state === "pending" && one.dueMs <= this.nowMs;
  }

  /** The attempt is over. */
  #end(one: Delivered, state: Exclude<Delivered["state"], "in_flight">): void {
    one.state = state;
    one.shownIn = undefined;
  }

  #failed(one: Delivered, sinceMs: number): void {
    const failures = one.tries - one.returned;
    const isLast = failures > this.terms.maxRetries;
    this.#end(one, isLast ? "dead_letter" : "pending");
    one.dueMs = sinceMs + this.terms.backoffMs * 2 ** (failures - 1);
  }

  /** What comes first happens first, however late a process looks. */
  #settle(): void {
    for (const one of this.deliveries) {
      const endsMs = one.boot === this.boot ? one.expiresMs : this.nowMs + one.expiresWallMs - this.wallMs;
      if (isAwaited(one) && one.dueMs <= this.nowMs && one.dueMs <= endsMs) this.#failed(one, one.dueMs);
      if ((one.state === "pending" || one.state === "in_flight") && endsMs <= this.nowMs) this.#end(one, "expired");
    }
  }
}

/** An answer for it has to come in time. */
export function isAwaited({ state, shownIn }: Delivered): boolean {
  return state === "in_flight" && shownIn === undefined;
}
