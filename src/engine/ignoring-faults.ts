import { Fault } from "../core/fault.ts";

/** For what only explains or follows something that is done: null if the store fails. */
export async function ignoringFaults<Found>(find: () => Promise<Found | null>): Promise<Found | null> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}
