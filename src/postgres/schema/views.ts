/** Creates or replaces all views. */
export const createViews = (): string[] => [];
