//! Memory of the short courses that a series has taken, with the distance of a new course from the
//! nearest.
//!
//! The adaptive-resonance idea (Carpenter and Grossberg, 1987) at its smallest: a course near one
//! in the book moves that a little towards it, another gets a place of its own, and the least used
//! gives way.

/// Numbers that describe a course.
pub(crate) const WIDTH: usize = 6;
/// Courses kept at most; a new one then replaces the least used.
const PLACES: usize = 48;
/// Distance from which a course is a new one.
const APART: f32 = 0.7;
/// Step by which a remembered course moves towards a new one like it.
const STEP: f32 = 0.02;

/// Courses of a series, each with the number of times it came again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Patterns {
    // Number by number and not course by course, so that the search runs over whole registers.
    numbers: [Vec<f32>; WIDTH],
    uses: Vec<f32>,
}

impl Patterns {
    /// The distance of a course to the nearest in the book, 0 for the first; then it is learnt.
    pub(crate) fn distance(&mut self, course: &[f32; WIDTH]) -> f64 {
        let Some((nearest, squared)) = self.nearest(course) else {
            self.write(None, course);
            return 0.0;
        };

        let distance = squared.sqrt();
        if distance > APART {
            let least = (self.uses.len() >= PLACES).then(|| self.least_used());
            self.write(least, course);
        } else {
            if let Some(uses) = self.uses.get_mut(nearest) {
                *uses += 1.0;
            }
            for (row, number) in self.numbers.iter_mut().zip(course) {
                if let Some(kept) = row.get_mut(nearest) {
                    *kept += STEP * (number - *kept);
                }
            }
        }

        f64::from(distance)
    }

    fn nearest(&self, course: &[f32; WIDTH]) -> Option<(usize, f32)> {
        let mut squared = [0.0_f32; PLACES];
        for (row, number) in self.numbers.iter().zip(course) {
            for (sum, kept) in squared.iter_mut().zip(row) {
                *sum += (kept - number) * (kept - number);
            }
        }

        let kept = squared.get(..self.uses.len())?;
        let smallest = kept.iter().copied().reduce(f32::min)?;
        kept.iter()
            .position(|one| *one <= smallest)
            .map(|place| (place, smallest))
    }

    fn least_used(&mut self) -> usize {
        let mut least = (0, f32::INFINITY);
        for (place, uses) in self.uses.iter_mut().enumerate() {
            if *uses < least.1 {
                least = (place, *uses);
            }
            *uses *= 0.98;
        }
        least.0
    }

    fn write(&mut self, place: Option<usize>, course: &[f32; WIDTH]) {
        for (row, number) in self.numbers.iter_mut().zip(course) {
            match place.and_then(|place| row.get_mut(place)) {
                Some(kept) => *kept = *number,
                None => row.push(*number),
            }
        }
        match place.and_then(|place| self.uses.get_mut(place)) {
            Some(uses) => *uses = 1.0,
            None => self.uses.push(1.0),
        }
    }
}
