/** Shows at the end of a run what each harness could do. */
import { forgetColumns, keptColumn } from "./column-file.ts";
import { NAMES, tableText } from "./support-table.ts";

export default function setup(): () => void {
  forgetColumns();
  return () => {
    const columns = NAMES.flatMap((name) => {
      const column = keptColumn(name);
      return column ? [[name, column] as const] : [];
    });
    const titles = [...new Set(columns.flatMap(([, column]) => Object.keys(column)))];
    if (titles.length > 0) process.stdout.write(`\n${tableText(titles, Object.fromEntries(columns))}\n\n`);
  };
}
