/** Help must not load the rest. */
export const MAX_NODES = 20;
