import { isRefusal, type Refusal } from "../../core/refusal.ts";

/** Ends the command that throws it: the refusal is its answer. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** What was asked for. If it is refused, the command ends with that refusal. */
export function granted<Answer>(answer: Answer): Exclude<Answer, Refusal> {
  if (isRefusal(answer)) throw new Refused(answer);
  return answer as Exclude<Answer, Refusal>;
}
