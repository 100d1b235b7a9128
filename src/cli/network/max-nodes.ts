/** Maximum number of nodes of a local network. In a file of its own because help must not load the rest. */
export const MAX_NODES = 20;
