import { FORMAT } from "./statements.ts";

/**
 * Version of the views, MAJOR.MINOR. Within a major version no view loses or retypes a column, and `migrate` replaces
 * views while queries run. The major version is the format of the tables.
 */
export const VIEWS_VERSION = `${FORMAT}.0`;
