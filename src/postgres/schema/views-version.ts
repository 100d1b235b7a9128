/** Version of the views, MAJOR.MINOR. Within a major version no view loses or retypes a column. */
export const VIEWS_VERSION = "1.0";
