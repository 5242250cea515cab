import { RoomParts } from '../../../shell/RoomParts';

const PARTS = [
  { value: '/intelligence/anomalies', label: 'Found' },
  { value: '/intelligence/anomalies/threat-lists', label: 'Threat lists' },
  { value: '/intelligence/anomalies/other-tools', label: 'Alerts of other tools' },
];

/** What is strange, the lists of what is known to be bad, and what other tools found. */
export function AnomaliesRoom() {
  return <RoomParts label="Found anomalies, threat lists or alerts of other tools" parts={PARTS} />;
}
