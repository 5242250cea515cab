import { RoomParts } from '../../../shell/RoomParts';

const PARTS = [
  { value: '/intelligence/predictions', label: 'Rules' },
  { value: '/intelligence/predictions/calendars', label: 'Calendars' },
];

/** Predictive rules, and the calendars they know events from. */
export function PredictionsRoom() {
  return <RoomParts label="Rules or calendars" parts={PARTS} />;
}
