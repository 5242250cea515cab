import { RoomParts } from '../../../shell/RoomParts';

const PARTS = [
  { value: '/intelligence/anomalies', label: 'Found' },
  { value: '/intelligence/anomalies/threat-lists', label: 'Threat lists' },
];

/** What is strange, and the lists of what is known to be bad. */
export function AnomaliesRoom() {
  return <RoomParts label="Found anomalies or threat lists" parts={PARTS} />;
}
