/** In a file of its own, so that the help need not load the commands. */
export const MAX_NODES = 20;
