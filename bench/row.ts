/** What one row file of the benchmarks offers: a name to ask for it by, and one or more lines of the table. */
import type { Finding } from "./finding.ts";
import type { Workshop } from "./workshop.ts";

export interface Row {
  readonly name: string;
  measure(shop: Workshop): Promise<readonly Finding[]>;
}
