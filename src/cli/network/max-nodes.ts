/** In its own file, so that the help loads little. */
export const MAX_NODES = 20;
