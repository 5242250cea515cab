export function RecommendationDetail() { return null; }
