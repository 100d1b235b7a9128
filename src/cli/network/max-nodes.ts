/** In a file of its own, so that the help loads little. */
export const MAX_NODES = 20;
