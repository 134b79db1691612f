import { Fault } from "../core/fault.ts";

/** A passing fault of the store must not end a long wait: there is no answer then, and the next look may have one. */
export async function unlessPassing<Seen>(look: Promise<Seen>): Promise<Seen | null> {
  try {
    return await look;
  } catch (error) {
    if (error instanceof Fault && error.retry) return null;
    throw error;
  }
}
