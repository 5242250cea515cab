export function GuardrailsPage() { return null; }
