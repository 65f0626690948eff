// Colours of actors: the recorded tints, one colour for each crowd, or colours by speed.

const COLOR_MODES = [["own", "Recorded colours"], ["crowd", "Colours by crowd"], ["speed", "Colours by speed"]];
const SPEED_TOP = 2; // [m/s], speed of the last colour
// Viridis at five equal steps. The lightness grows, so the order is clear without hues.
const RAMP = ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"].map(linearOf);
// Okabe and Ito, "Color Universal Design", 2008: eight colours that people with colour blindness can tell apart.
const CROWD_COLORS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#555555"].map(linearOf);

function linearOf(hex) {
  return [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

function cssOf(rgb) {
  const encoded = rgb.map((value) => Math.round(255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055)));
  return `rgb(${encoded.join(" ")})`;
}

function speedColor(speed) {
  const at = clamp((speed ?? 0) / SPEED_TOP, 0, 1) * (RAMP.length - 1);
  const low = Math.min(Math.floor(at), RAMP.length - 2);
  return add(scaled(RAMP[low], 1 - (at - low)), scaled(RAMP[low + 1], at - low));
}

const crowdColor = (number) => CROWD_COLORS[number % CROWD_COLORS.length];

// Show the meaning of the colours.
function fillLegend(legend, mode, crowds) {
  legend.replaceChildren();
  legend.hidden = mode === "own";
  if (mode === "crowd") {
    const list = document.createElement("ul");
    crowds.forEach((crowd, number) => {
      const item = document.createElement("li"), patch = document.createElement("i");
      patch.style.background = cssOf(crowdColor(number));
      item.append(patch, crowd.name);
      list.append(item);
    });
    legend.append(list);
  } else if (mode === "speed") {
    const ramp = document.createElement("span"), ends = document.createElement("span");
    ramp.className = "ramp";
    ramp.style.background = `linear-gradient(to right, ${RAMP.map(cssOf).join(", ")})`;
    ends.className = "ends";
    for (const text of ["0 m/s", `${SPEED_TOP} m/s and more`]) {
      const end = document.createElement("span");
      end.textContent = text;
      ends.append(end);
    }
    legend.append(ramp, ends);
  }
}
